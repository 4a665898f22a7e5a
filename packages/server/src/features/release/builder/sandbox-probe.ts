import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { createConnection } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";

// Runs inside a sandbox at start and reports on descriptor 3 what it could do there and should not have.

const [, , out = "", forbiddenPath = "", forbiddenPort = "0"] = process.argv;

function canConnect(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection({ host: "127.0.0.1", port });
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function canRead(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Without sockets, it can't even be asked. */
function hasNetwork(): boolean {
  try {
    return Object.keys(networkInterfaces()).some((name) => name !== "lo");
  } catch {
    return false;
  }
}

const problems: string[] = [];
writeFileSync(join(out, ".probe"), "");
if (canRead(forbiddenPath)) problems.push("files outside can be read");
if (hasNetwork()) problems.push("a network is reachable");
if (await canConnect(Number(forbiddenPort))) problems.push("the machine's ports are reachable");
if (process.getuid?.() === 0) problems.push("it runs as root");
writeSync(3, `${JSON.stringify({ problems })}\n`);
