import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { addressBucket, type Client } from "./client-address.ts";
import { limitConnections } from "./connection-limit.ts";

let server: Server;
let clients: Socket[];
/** Whom the next connections come from. */
let client: Client;

const from = (address: string, trusted = false): Client => ({
  address,
  bucket: addressBucket(address),
  trusted,
});

beforeEach(async () => {
  clients = [];
  server = createServer();
  limitConnections(server, {
    clientOf: () => client,
    trustProxy: ["198.51.100.0/24"],
    max: 3,
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});

afterEach(async () => {
  for (const each of clients) each.destroy();
  await once(server.close(), "close");
});

/** Opens a connection; gives it once the server has it. */
async function open(): Promise<Socket> {
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  clients.push(socket);
  socket.on("error", () => {});
  await Promise.all([once(server, "connection"), once(socket, "connect")]);
  return socket;
}

const held = () =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

async function openAll(count: number): Promise<Socket[]> {
  const opened: Socket[] = [];
  for (let at = 0; at < count; at += 1) opened.push(await open());
  return opened;
}

test("abuse 109: one client holds so many connections and no more, until it lets one go", async () => {
  client = from("203.0.113.9");
  const [first] = await openAll(6);
  await eventually(async () => expect(await held()).toBe(3));
  client = from("203.0.113.10");
  await openAll(1);
  await eventually(async () => expect(await held()).toBe(4));
  first?.destroy();
  await eventually(async () => expect(await held()).toBe(3));
  client = from("203.0.113.9");
  await openAll(2);
  await eventually(async () => expect(await held()).toBe(4));
});

test("abuse 109: one /64 is one client", async () => {
  for (let at = 1; at <= 5; at += 1) {
    client = from(`2001:4860:1:2::${at}`);
    await open();
  }
  await eventually(async () => expect(await held()).toBe(3));
});

test.each([
  ["a trusted address", from("203.0.113.9", true)],
  ["a declared proxy", from("198.51.100.7")],
  ["a private network", from("172.17.0.1")],
  ["a private network of IPv6", from("fd00::1")],
  ["loopback", from("127.0.0.1")],
])("%s may speak for many people", async (_what, given) => {
  client = given;
  await openAll(6);
  expect(await held()).toBe(6);
});
