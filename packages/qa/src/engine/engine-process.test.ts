import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { tempFolder } from "../../../../test/support/temp.ts";
import { engineJob } from "../../../../test/support/engine-job.ts";
import { makeEngine } from "./engine-process.ts";

/** The process that was started with this text in its environment. */
function processWith(text: string): number {
  const has = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/environ`, "utf8").includes(text);
    } catch {
      return false;
    }
  };
  return Number(readdirSync("/proc").find((id) => /^\d+$/.test(id) && has(id)));
}

test("a killed engine leaves nothing behind, whatever its browser wrote", async () => {
  const folder = await tempFolder();
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await folder.remove();
  });
  await once(server, "listening");
  const engine = makeEngine({ log: pino({ level: "silent" }), tempDir: folder.path });
  const firstRequest = once(server, "request");
  const running = engine(engineJob(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), {
    signal: new AbortController().signal,
    progress() {},
    countMessages: async () => null,
  });
  await Promise.race([firstRequest, running]);
  const [own = ""] = readdirSync(folder.path);
  writeFileSync(join(folder.path, own, "profile"), "of a browser");
  process.kill(processWith(`TMPDIR=${join(folder.path, own)}`), "SIGKILL");
  await expect(running).rejects.toThrow("ended before it was done (SIGKILL)");
  await eventually(() => expect(readdirSync(folder.path)).toEqual([]));
});

test("abuse 166: a later start removes the folders of engines that were killed with their runner", async () => {
  const folder = await tempFolder();
  onTestFinished(() => folder.remove());
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const name of ["vitrine-engine-old", "vitrine-engine-new", "somebody-else"]) {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, name, "profile"), "of a browser");
    if (!name.endsWith("new")) utimesSync(join(folder.path, name), yesterday, yesterday);
  }
  makeEngine({ log: pino({ level: "silent" }), tempDir: folder.path });
  await eventually(() => {
    const left = readdirSync(folder.path).toSorted();
    expect(left).toEqual(["somebody-else", "vitrine-engine-new"]);
  });
});

test("a process in an endless loop ends with its parent", async () => {
  const watch = JSON.stringify(new URL("./parent-watch.ts", import.meta.url).href);
  const loop = `import { watchParent } from ${watch}; watchParent(50); process.send(process.pid, () => { for (;;); });`;
  const start = `const child = require("node:child_process").spawn(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(loop)}],
    { stdio: ["pipe", "ignore", "ignore", "ipc"] });
    child.on("message", (pid) => process.send(pid));`;
  const runner = spawn(process.execPath, ["-e", start], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [pid] = (await once(runner, "message")) as [number];
  const runs = () => {
    try {
      // What nobody has asked after yet is a zombie.
      return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
    } catch {
      return false;
    }
  };
  onTestFinished(() => {
    if (runs()) process.kill(pid, "SIGKILL");
  });
  runner.kill("SIGKILL");
  await eventually(() => expect(runs()).toBe(false));
});
