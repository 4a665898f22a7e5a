import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { createLog } from "../log.ts";
import { type AppServer, createHttpServer } from "./server.ts";

/** More than the kernel takes on for a connection. */
const large = Buffer.alloc(96 * 1024 * 1024);

let app: AppServer;
let port: number;
let clients: Socket[];
/** How many answers without end were begun, and the sources that are held open. */
let started: number;
let open: Set<Readable>;

/** Until this connection has had nothing on it for as long as it may. */
const silence = (socket: Socket) => once(socket, "timeout");

beforeEach(async () => {
  clients = [];
  started = 0;
  open = new Set();
  const log = createLog({ level: "silent", name: "test" });
  app = createHttpServer({ log, name: "test", secure: false, slowClientTimeoutMs: 100 });
  app.get("/endless", async (_request, reply) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const body = new Readable({
      read() {
        this.push(chunk);
      },
    });
    started += 1;
    open.add(body);
    body.on("close", () => open.delete(body));
    return reply.send(body);
  });
  app.get("/large", async (_request, reply) => {
    started += 1;
    return reply.send(large);
  });
  app.get("/thinks", async (request, reply) => {
    await silence(request.raw.socket);
    return reply.send("thought");
  });
  app.get("/events", async (request, reply) => {
    async function* events() {
      for (let at = 1; at <= 3; at += 1) {
        yield `: ${at}\n\n`;
        await silence(request.raw.socket);
      }
      yield ": end\n\n";
    }
    return reply.type("text/event-stream").send(Readable.from(events(), { objectMode: false }));
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = app.server.address() as { port: number });
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await app.close();
});

async function ask(path: string): Promise<Socket> {
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.on("error", () => {});
  await once(client, "connect");
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return client;
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

// On a busy machine some are let go before they are heard.
test.each(["/endless", "/large"])(
  "abuse 109: whoever takes nothing of %s holds neither connection nor source",
  async (path) => {
    // Nobody who reads nothing is told of an end, either: what counts is what the server holds.
    for (let at = 0; at < 8; at += 1) (await ask(path)).pause();
    await eventually(() => expect(started).toBeGreaterThan(0));
    await eventually(async () => expect([open.size, await connections()]).toEqual([0, 0]));
  },
);

test("abuse 109: a client that sends half a head is let go", async () => {
  const half = connect(port, "127.0.0.1");
  clients.push(half);
  half.write("GET / HTTP/1.1\r\nHo");
  await once(half, "connect");
  await eventually(async () => expect(await connections()).toBe(0));
});

test.each([
  ["an answer that takes its time", "/thinks", /thought$/],
  ["a stream that says something now and then", "/events", /: 1\n[^]*: 2\n[^]*: 3\n[^]*: end\n/],
])("%s is no idle connection", async (_what, path, expected) => {
  await eventually(async () => {
    let text = "";
    for await (const chunk of await ask(path)) {
      text += String(chunk);
      if (expected.test(text)) break;
    }
    expect(text).toMatch(expected);
  });
});
