import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../test/support/admin.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { registerRunnerProxy } from "./runner-proxy.ts";
import { proxiedPath } from "./proxied-path.ts";
import { makePreviewTickets, type PreviewTickets } from "./ticket.ts";

const runnerKey = "the-runner-key";
const baseUrl = "http://localhost:3000";
const runId = "01KAJ3Z5T0ABCDEFGHJKMNPQRS";

interface Seen {
  request: IncomingMessage;
  body: string;
}

let runner: Server;
let seen: Seen[];
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let admin: AdminApp;
let tickets: PreviewTickets;

/** A server in place of the runner that records requests. */
async function startRunner(): Promise<string> {
  seen = [];
  respond = (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"ok":true}');
  };
  runner = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      seen.push({ request, body });
      respond(request, response);
    });
  });
  await new Promise<void>((resolve) => runner.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(runner.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  const runnerUrl = await startRunner();
  admin = await startGate(runnerUrl);
});

function startGate(runnerUrl: string, headersTimeoutMs?: number): Promise<AdminApp> {
  return startAdminApp({
    register(app, { guard, db, clock }) {
      tickets = makePreviewTickets({ key: "a preview key", db, clock });
      const { verifyUrl: verifyPreviewTicket } = tickets;
      registerRunnerProxy(app, {
        guard,
        runnerUrl,
        runnerKey,
        baseUrl,
        verifyPreviewTicket,
        largeBodies: { "/devconsole/large": 1024 * 1024 },
        ...(headersTimeoutMs === undefined ? {} : { headersTimeoutMs }),
      });
      app.get("/*", async (request, reply) => {
        if (request.url.startsWith("/api")) return reply.callNotFound();
        return reply.type("text/html").send("a public page");
      });
    },
  });
}

afterEach(async () => {
  await admin.cleanup();
  runner.closeAllConnections();
  await new Promise((resolve) => runner.close(resolve));
});

/** Sends the request line unchanged; clients would normalize the path. */
function askRaw(
  path: string,
  cookie = "",
  method = "GET",
): Promise<{ status: number; text: string }> {
  const { port } = admin.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("error", reject);
    socket.on("end", () => resolve({ status: Number(text.slice(9, 12)), text }));
    const auth = cookie === "" ? "" : `Cookie: ${cookie}\r\n`;
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${auth}Connection: close\r\n\r\n`,
    );
  });
}

const gated = [
  "/devconsole",
  "/devconsole/",
  "/devconsole/ping",
  "/devconsole/assets/app.js",
  "/devconsole/stream/1?x=1",
  "/_preview",
  `/_preview/${runId}/`,
  `/_preview/${runId}/_astro/style.css`,
  `/_preview/${runId}/~not-a-ticket/`,
  `/_preview/${runId}/~${"a".repeat(8)}.${"b".repeat(43)}.${"c".repeat(43)}/`,
];

test.each(gated)(
  "abuse 17: %s without an admin session is 401 and doesn't reach the runner",
  async (path) => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] as const) {
      const runnerResponse = await admin.ask(path, { method });
      expect([method, runnerResponse.status]).toEqual([method, 401]);
      expect(runnerResponse.text === "" ? method : runnerResponse.json().error.code).toBe(
        method === "HEAD" ? "HEAD" : "unauthenticated",
      );
    }
    expect(seen).toEqual([]);
  },
);

test("abuse 17: a bearer token opens nothing behind the gate", async () => {
  const headers = { authorization: `Bearer vit_${"a".repeat(43)}` };
  expect((await admin.ask("/devconsole/ping", { headers })).status).toBe(401);
});

const disguised = [
  "/devconsole/%2f..",
  "/devconsole/%2e%2e/devconsole/ping",
  "/devconsole/../devconsole/ping",
  "/devconsole/./ping",
  "/devconsole//ping",
  "//devconsole/ping",
  "/%64evconsole/ping",
  "/%2564evconsole/ping",
  "/devconsole%2fping",
  "/devconsole%252fping",
  "/DEVCONSOLE/ping",
  "/DevConsole",
  "/about/../devconsole/ping",
  "/about/%2e%2e/_preview/1/",
  "/%5fpreview/1/",
  "/_Preview/1/",
  "/_preview//1/",
  "/\\devconsole/ping",
  "/devconsole\\ping",
  "/devconsole/ping;a=b/../x",
  "/devconsole;x/ping",
  "/_preview/1/%00",
  "/_preview/1/..%2f..%2fapi%2fhealth",
  "/devconsole/ping#fragment",
  "http://localhost/devconsole/ping",
];

test.each(disguised)("abuse 18: %s is never served", async (path) => {
  const cookie = await admin.signIn();
  for (const given of ["", cookie]) {
    const runnerResponse = await askRaw(path, given);
    expect([400, 401, 404]).toContain(runnerResponse.status);
  }
  expect(seen).toEqual([]);
});

test("abuse 18: similar addresses of other pages still work", () => {
  for (const path of [
    "/",
    "/about/",
    "/devconsoles/",
    "/notes/devconsole",
    "/caf%C3%A9",
    "/_previews",
  ]) {
    expect([path, proxiedPath(path)]).toEqual([path, "open"]);
  }
  for (const path of [
    "/devconsole",
    "/_preview/1/caf%C3%A9/",
    "/_preview/1/a%20b.png",
    "/_preview/1/?x=//",
  ]) {
    expect([path, proxiedPath(path)]).toEqual([path, "gated"]);
  }
});

test("the admin's requests reach the runner with only the key and the session's cookie", async () => {
  const cookie = await admin.signIn();
  const runnerResponse = await admin.ask("/devconsole/run?x=1", {
    body: '{"instruction": "x"}',
    headers: {
      cookie: `other=1; ${cookie}; user=2`,
      "content-type": "application/json; charset=utf-8",
      origin: baseUrl,
      "last-event-id": "7",
    },
  });
  expect([runnerResponse.status, runnerResponse.text]).toEqual([200, '{"ok":true}']);
  const [first] = seen;
  expect(first?.body).toBe('{"instruction": "x"}');
  expect(first?.request).toMatchObject({ method: "POST", url: "/devconsole/run?x=1" });
  expect(first?.request.headers).toMatchObject({
    cookie,
    origin: baseUrl,
    "last-event-id": "7",
    "x-vitrine-key": runnerKey,
    "x-request-id": runnerResponse.headers["x-request-id"],
  });
});

test("abuse 21: forwarding headers from a client don't reach the runner", async () => {
  const cookie = await admin.signIn();
  const headers = {
    cookie,
    "x-original-url": "/devconsole/auth",
    "x-rewrite-url": "/devconsole/auth",
    "x-forwarded-user": "admin",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "evil.example",
    "x-accel-redirect": "/data/keys/runner.key",
    "x-vitrine-key": "forged",
    "x-vitrine-host": "evil.example",
    "x-vitrine-admin": "1",
    forwarded: "for=127.0.0.1",
    authorization: "Basic eDp5",
  };
  await admin.ask("/devconsole/ping", { headers });
  expect(Object.keys(seen[0]?.request.headers ?? {}).toSorted()).toEqual([
    "connection",
    "cookie",
    "host",
    "x-request-id",
    "x-vitrine-host",
    "x-vitrine-key",
  ]);
  expect(seen[0]?.request.headers).toMatchObject({
    "x-vitrine-key": runnerKey,
    "x-vitrine-host": new URL(admin.url).host,
  });
  const { cookie: _cookie, ...visitor } = headers;
  expect((await admin.ask("/devconsole/ping", { headers: visitor })).status).toBe(401);
  expect((await admin.ask("/about", { headers: visitor })).text).toBe("a public page");
});

test("abuse 12: a request caused by another site is refused at the gate", async () => {
  const cookie = await admin.signIn();
  const post = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const load = { cookie, "sec-fetch-site": "same-site", "sec-fetch-dest": "script" };
  expect((await admin.ask("/devconsole/run", { body: {}, headers: post })).status).toBe(403);
  expect((await admin.ask("/devconsole/runs", { headers: load })).status).toBe(403);
  expect(seen).toEqual([]);
});

test("abuse 13: only JSON of at most 256 KiB passes", async () => {
  const cookie = await admin.signIn();
  const send = (type: string, body: string) =>
    admin.ask("/devconsole/run", { body, headers: { cookie, "content-type": type } });
  expect((await send("text/plain", "{}")).status).toBe(415);
  expect((await send("application/x-www-form-urlencoded", "a=1")).status).toBe(415);
  expect((await send("application/json", `"${"x".repeat(256 * 1024)}"`)).status).toBe(413);
  expect(seen).toEqual([]);
  expect((await send("application/json", "null")).status).toBe(200);
  expect(seen[0]?.body).toBe("null");
});

test("addresses for long bodies accept them only from the admin", async () => {
  const cookie = await admin.signIn();
  const send = (
    kibibytes: number,
    headers: Record<string, string>,
    method: "POST" | "PUT" = "POST",
  ) => admin.ask("/devconsole/large", { method, body: ["x".repeat(kibibytes * 1024)], headers });
  expect((await send(600, { cookie })).status).toBe(200);
  expect(seen.map(({ body }) => body.length)).toEqual([600 * 1024 + 4]);
  expect((await send(1100, { cookie })).status).toBe(413);
  expect((await send(600, { cookie }, "PUT")).status).toBe(413);
  expect((await send(600, {})).status).toBe(401);
  const foreign = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await send(600, foreign)).status).toBe(403);
  expect(seen).toHaveLength(1);
});

test("abuse 20: previews are private and not stored whatever the runner sends, and its cookies are dropped", async () => {
  const cookie = await admin.signIn();
  respond = (_request, response) => {
    response.setHeader("cache-control", "public, max-age=31536000");
    response.setHeader("content-security-policy", "default-src 'self'");
    response.setHeader("set-cookie", "vitrine_admin=planted");
    response.end("preview");
  };
  const runnerResponse = await admin.ask(`/_preview/${runId}/`, { headers: { cookie } });
  expect(runnerResponse.headers).toMatchObject({
    "cache-control": "private, no-store",
    "content-security-policy": "default-src 'self'",
    "x-content-type-options": "nosniff",
  });
  expect(runnerResponse.headers["set-cookie"]).toBeUndefined();
});

test("abuse 24: until sign-out, a ticket opens files of its preview without cookie and origin", async () => {
  const cookie = await admin.signIn();
  const ticket = tickets.issue(runId, sha256Hex(cookie.split("=")[1] ?? ""));
  const prefix = `/_preview/${runId}/~${ticket}`;
  const path = `${prefix}/_astro/style.css?v=1`;
  const frame = { headers: { origin: "null", "sec-fetch-site": "cross-site", cookie: "x=1" } };
  expect((await admin.ask(path, frame)).status).toBe(200);
  expect(seen[0]?.request.headers).not.toHaveProperty("cookie");
  expect(seen[0]?.request.url).toBe(path);
  const other = path.replace(runId, runId.replace("A", "B"));
  expect((await admin.ask(other, frame)).status).toBe(401);
  expect((await admin.ask(path, { ...frame, method: "POST" })).status).toBe(403);
  expect((await admin.ask(`/devconsole/~${ticket}/style.css`, frame)).status).toBe(401);
  admin.clock.advance(10 * 60_000);
  expect((await admin.ask(path, frame)).status).toBe(401);
  const later = tickets.issue(runId, sha256Hex(cookie.split("=")[1] ?? ""));
  const laterPath = path.replace(ticket, later);
  expect((await admin.ask(laterPath, frame)).status).toBe(200);
  await admin.ask("/api/adminauth/logout", { method: "POST", headers: { cookie } });
  expect((await admin.ask(laterPath, frame)).status).toBe(401);
  expect(seen).toHaveLength(2);
});

test("abuse 24: a ticket opens no document, but the session does at the same address", async () => {
  const cookie = await admin.signIn();
  const ticket = tickets.issue(runId, sha256Hex(cookie.split("=")[1] ?? ""));
  const prefix = `/_preview/${runId}/~${ticket}`;
  const documents = [
    "",
    "/",
    "/about/",
    "/about",
    "/resume.pdf",
    "/feed.xml",
    "/data.json",
    "/a.txt",
  ];
  for (const path of [...documents, "/pagefind/fragment/en_1.pf_fragment", "/x.css/", "/x.html"]) {
    expect([path, (await admin.ask(prefix + path)).status]).toEqual([path, 401]);
  }
  for (const dest of ["document", "iframe", "frame", "embed", "object"]) {
    const headers = { "sec-fetch-dest": dest };
    expect((await admin.ask(`${prefix}/drawing.svg`, { headers })).status).toBe(401);
  }
  expect(seen).toEqual([]);
  expect((await admin.ask(`${prefix}/about/`, { headers: { cookie } })).status).toBe(200);
  expect(seen[0]?.request.headers).toMatchObject({ cookie });
});

test("abuse 22: without a session database the response is 503, at the gate and at the check", async () => {
  const cookie = await admin.signIn();
  const tables = admin.db.withTables<{ admin_session: object }>();
  await tables.schema.alterTable("admin_session").renameTo("gone").execute();
  for (const path of ["/api/adminauth/check", "/devconsole/ping", `/_preview/${runId}/`]) {
    const runnerResponse = await admin.ask(path, { headers: { cookie } });
    expect([path, runnerResponse.status]).toEqual([path, 503]);
  }
  expect(seen).toEqual([]);
});

test("a runner that is down, or says so, is 503 after one request", async () => {
  const cookie = await admin.signIn();
  respond = (_request, response) => response.writeHead(503, { "retry-after": "9" }).end("busy");
  expect((await admin.ask("/devconsole/ping", { headers: { cookie } })).text).toBe("busy");
  expect(seen).toHaveLength(1);
  runner.closeAllConnections();
  await new Promise((resolve) => runner.close(resolve));
  const runnerResponse = await admin.ask("/devconsole/ping", { headers: { cookie } });
  expect([runnerResponse.status, runnerResponse.json().error.code]).toEqual([503, "unavailable"]);
});

test("a request that takes too long is said to continue, not that nobody answers", async () => {
  const { port } = runner.address() as AddressInfo;
  const gate = await startGate(`http://127.0.0.1:${port}`, 50);
  respond = () => {};
  try {
    const cookie = await gate.signIn();
    const answer = await gate.ask("/devconsole/publish", { headers: { cookie } });
    expect([answer.status, answer.json().error.code]).toEqual([503, "unavailable"]);
    expect(answer.text).toContain("continues");
    expect(answer.headers["retry-after"]).toBe("30");
  } finally {
    await gate.cleanup();
  }
});

interface OpenStream {
  text: string;
  closed: boolean;
  socket: ReturnType<typeof connect>;
}

async function openStream(cookie: string): Promise<OpenStream> {
  const { port } = admin.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const stream: OpenStream = { text: "", closed: false, socket };
  socket.on("data", (chunk) => (stream.text += String(chunk)));
  socket.on("error", () => {});
  socket.on("close", () => (stream.closed = true));
  socket.write(`GET /devconsole/stream/1 HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
  return stream;
}

test("an event stream isn't buffered, and closes at the runner when the client leaves", async () => {
  const cookie = await admin.signIn();
  let send: (text: string) => void = () => {};
  let left = false;
  respond = (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.on("close", () => (left = true));
    send = (text) => void response.write(text);
    send("id: 1\ndata: one\n\n");
  };
  const stream = await openStream(cookie);
  await eventually(() => expect(stream.text).toContain("data: one"));
  send("id: 2\ndata: two\n\n");
  await eventually(() => expect(stream.text).toContain("data: two"));
  stream.socket.destroy();
  await eventually(() => expect(left).toBe(true));
});

test("a client that leaves before the runner responds closes the request there, too", async () => {
  const cookie = await admin.signIn();
  let left = false;
  respond = (_request, response) => void response.on("close", () => (left = true));
  const stream = await openStream(cookie);
  await eventually(() => expect(seen).toHaveLength(1));
  stream.socket.destroy();
  await eventually(() => expect(left).toBe(true));
});
