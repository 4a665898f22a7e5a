import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { makeResolve } from "./resolve.ts";

/** A name server that denies every name (RFC 1035, RCODE 3); gives its address. */
async function startNameServer(): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const response = Buffer.from(query);
    // A response, recursive, with the code NXDOMAIN.
    response.writeUInt16BE(0x81_83, 2);
    socket.send(response, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(async () => {
    await once(socket.close(), "close");
  });
  return `127.0.0.1:${socket.address().port}`;
}

test("a name doesn't exist if a name server says so", async () => {
  const resolve = makeResolve(2000, [await startNameServer()]);
  await expect(resolve("gone.invalid")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("without a name server that responds, nothing is known about a name", async () => {
  const resolve = makeResolve(300, ["127.0.0.1:9"]);
  await expect(resolve("gone.invalid")).rejects.toMatchObject({ code: "EAI_AGAIN" });
});

test("names of the system's hosts file need no name server", async () => {
  const resolve = makeResolve(300, ["127.0.0.1:9"]);
  expect(await resolve("localhost")).toContain("127.0.0.1");
});
