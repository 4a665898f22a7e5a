import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../log.ts";
import { type AppServer, createHttpServer } from "./server.ts";

let app: AppServer;
let port: number;

beforeEach(async () => {
  const log = createLog({ level: "silent", name: "test" });
  const bodyTimeout = { totalMs: 150, idleMs: 150 };
  app = createHttpServer({ log, name: "test", secure: false, bodyTimeout: bodyTimeout });
  app.post("/echo", async (request) => ({ got: request.body }));
  app.get("/long", async (_request, reply) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    return reply.send("done");
  });
  app.register(async (uploads) => {
    uploads.addContentTypeParser("application/octet-stream", (_request, payload, done) => {
      let bytes = 0;
      payload.on("data", (chunk: Buffer) => (bytes += chunk.length));
      payload.on("end", () => done(null, bytes));
      payload.on("error", done);
    });
    uploads.post("/upload", { config: { slowBody: true } }, async (request) => {
      return { bytes: request.body };
    });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = app.server.address() as { port: number });
});

afterEach(() => app.close());

async function start(head: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => {});
  const response = once(socket, "close").then(() => text);
  socket.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return { socket, answer: response };
}

test("abuse 109: a body that does not arrive in time is refused in the envelope, and the line is closed", async () => {
  const head = "POST /echo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 20";
  const { socket, answer: response } = await start(head);
  socket.write('{"a":');
  const text = await response;
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(text).toMatch(/x-content-type-options: nosniff/i);
  expect(text).toContain('"code":"request_timeout"');
});

test("abuse 109: an upload may take as long as bytes keep coming, and ends when none come", async () => {
  const head =
    "POST /upload HTTP/1.1\r\nContent-Type: application/octet-stream\r\nContent-Length: 12";
  const whole = await start(head);
  let sent = 0;
  const drip = setInterval(() => {
    whole.socket.write("x");
    sent += 1;
    if (sent === 12) clearInterval(drip);
  }, 40);
  expect(await whole.answer).toContain('{"bytes":12}');
  const silent = await start(head);
  silent.socket.write("xx");
  expect(await silent.answer).toMatch(/^HTTP\/1\.1 408 /);
});

test("what comes while the process is busy counts as having come", async () => {
  const head =
    "POST /upload HTTP/1.1\r\nContent-Type: application/octet-stream\r\nContent-Length: 3";
  const { socket, answer: response } = await start(head);
  // Past the first look, within the next silence: only what is sent now can be seen then.
  await delay(180);
  socket.write("x");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  socket.write("xx");
  expect(await response).toContain('{"bytes":3}');
});

test("an answer may take longer than a body", async () => {
  const { answer: response } = await start("GET /long HTTP/1.1");
  expect(await response).toMatch(/done$/);
});
