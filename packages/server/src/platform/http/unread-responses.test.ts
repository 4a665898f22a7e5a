import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { createLog } from "../log.ts";
import { type AppServer, createHttpServer } from "./server.ts";
import { trackUnreadResponses } from "./unread-responses.ts";

/** More than the kernel takes for a client that doesn't read. */
const answerBytes = 8 * 1024 * 1024;
let app: AppServer;
let url: string;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  const log = createLog({ level: "silent", name: "test" });
  const unread = { maxBytes: 5 * answerBytes, maxPipelined: 8 };
  app = createHttpServer({
    log,
    name: "test",
    secure: false,
    unread: trackUnreadResponses(unread),
  });
  // A new text each time: one that is shared would take no memory.
  app.get("/large", async () => Buffer.alloc(answerBytes, 1));
  app.get("/small", async () => "small");
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

/** A client that asks and reads nothing. */
async function ask(requests: string): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.pause().on("error", () => {});
  await once(socket, "connect");
  socket.write(requests);
  return socket;
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const connections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

test("abuse 117: answers that nobody reads are let go once they are too much together", async () => {
  for (let at = 0; at < 20; at += 1) await ask(request("/large"));
  await eventually(async () => expect(await connections()).toBeLessThanOrEqual(5));
  const response = await fetch(`${url}/large`);
  expect([response.status, (await response.bytes()).length]).toEqual([200, answerBytes]);
});

test("abuse 117: who reads is never cut off, however much it asks for", async () => {
  for (let at = 0; at < 6; at += 1) {
    expect((await (await fetch(`${url}/large`)).bytes()).length).toBe(answerBytes);
  }
});

test("abuse 117: a connection with too many requests ahead of its answers is closed", async () => {
  const flooding = await ask(request("/small").repeat(200));
  const closed = once(flooding, "close");
  flooding.resume();
  await closed;
  const fair = await ask(request("/small").repeat(8));
  let text = "";
  fair.on("data", (chunk: Buffer) => (text += chunk.toString("latin1"))).resume();
  await eventually(() => expect(text.match(/200 OK/g)).toHaveLength(8));
});
