import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { createLog } from "../log.ts";
import { type AppServer, createHttpServer } from "./server.ts";

let app: AppServer;
let logged: string;

beforeEach(() => {
  logged = "";
  const destination = new PassThrough().on("data", (chunk) => (logged += String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  app = createHttpServer({ log, name: "test", secure: false, maxBodyBytes: 1024 });
  const body = z.strictObject({ name: line(40, { min: 2 }) });
  const response = { 200: envelope(z.object({ name: z.string() })) };
  app.post("/api/echo", { schema: { body, response } }, async (request) => ok(request.body));
  app.get("/api/boom", async () => {
    throw new Error("the secret inner reason");
  });
  app.get("/api/full", async () => {
    throw Object.assign(new Error("disk"), { code: "ENOSPC" });
  });
  app.get("/api/busy", async (_request, reply) => {
    // As a file is answered that can't be opened in the end.
    reply.headers({ "content-encoding": "br", "content-length": "5", etag: '"a"' });
    throw new Error("page", { cause: Object.assign(new Error("open"), { code: "EMFILE" }) });
  });
  app.get("/api/refused", async () => {
    throw new AppError("throttled", "Slow down.", { headers: { "retry-after": "7" } });
  });
  app.register(async (inner) => {
    inner.addHook("preHandler", async () => {
      throw new Error("a plugin's own failure");
    });
    inner.get("/api/plugin", async () => ok(null));
  });
  app.get("/*", async (request, reply) => {
    if (request.url.startsWith("/api")) return reply.callNotFound();
    return reply.send("page");
  });
});

afterEach(() => app.close());

function post(payload: string, type = "application/json") {
  return app.inject({
    method: "POST",
    url: "/api/echo",
    payload,
    headers: { "content-type": type },
  });
}

test("a valid body is answered in the envelope", async () => {
  const response = await post('{"name":"Ada"}');
  expect(response.json()).toEqual({ ok: true, data: { name: "Ada" }, error: null });
});

test.each([
  ["malformed JSON", "{", "application/json", 400, "malformed_json"],
  ["JSON of depth 500", "[".repeat(500) + "]".repeat(500), "application/json", 400, "bad_request"],
  [
    "a poisoned body",
    '{"name":"Ada","__proto__":{"a":1}}',
    "application/json",
    400,
    "malformed_json",
  ],
  ["an empty body", "", "application/json", 400, "malformed_json"],
  [
    "a prototype key",
    '{"__proto__":{"a":1},"name":"Ada"}',
    "application/json",
    400,
    "malformed_json",
  ],
  ["an unknown key", '{"name":"Ada","x":1}', "application/json", 422, "validation_failed"],
  ["a body over the limit", `{"name":"${"a".repeat(2000)}"}`, "application/json", 413, "too_large"],
  ["another type", "name=Ada", "text/plain", 415, "unsupported_media_type"],
  ["a type with a tab", '{"name":"Ada"}', "application/json\t", 415, "unsupported_media_type"],
])("abuse 110: %s is refused in the envelope", async (_what, payload, type, status, code) => {
  const response = await post(payload, type);
  expect([response.statusCode, response.json().error.code]).toEqual([status, code]);
  expect(response.json()).toMatchObject({ ok: false, data: null });
});

test("a refused field is named", async () => {
  const response = await post('{"name":"A","more":{}}');
  expect(Object.keys(response.json().error.fields)).toEqual(["name", "more"]);
});

test("abuse 110: an unexpected error shows its id and nothing of its inside", async () => {
  for (const url of ["/api/boom", "/api/plugin"]) {
    const response = await app.inject(url);
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toMatch(/secret|plugin|stack|at /);
    expect(logged).toContain(response.json().error.details.errorId);
  }
  expect(logged).toContain("the secret inner reason");
});

test("abuse 106: a full disk is said plainly", async () => {
  const response = await app.inject("/api/full");
  expect([response.statusCode, response.json().error.code]).toEqual([507, "disk_full"]);
});

test("abuse 108: without a file left to open, the answer is 503, and whole", async () => {
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const response = await fetch(`${url}/api/busy`);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(response.headers.has("etag")).toBe(false);
  expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
});

test("an expected error keeps its headers", async () => {
  const response = await app.inject("/api/refused");
  expect([response.statusCode, response.headers["retry-after"]]).toEqual([429, "7"]);
});

test("abuse 14: another method is 405 with Allow, an unknown address 404", async () => {
  const wrongMethod = await app.inject({ method: "GET", url: "/api/echo" });
  expect([wrongMethod.statusCode, wrongMethod.headers.allow]).toEqual([405, "POST"]);
  const unknown = await app.inject({ method: "POST", url: "/api/unknown" });
  expect([unknown.statusCode, unknown.json().error.code]).toEqual([404, "not_found"]);
  const page = await app.inject({ method: "POST", url: "/about" });
  expect([page.statusCode, page.headers.allow]).toEqual([405, "GET, HEAD"]);
});

test("abuse 111: every answer has the security headers", async () => {
  for (const url of ["/", "/api/none", "/api/boom", "/%"]) {
    const { headers } = await app.inject(url);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-security-policy"]).toContain("frame-ancestors");
    expect(headers["referrer-policy"]).toBeDefined();
  }
});

test.each([
  "/admin/vl_",
  "/Admin/vl_",
  "/admin//vl_",
  "/admin%2Fvl_",
  "/admin/x/vl_",
  "/admin/x%2fvl_",
  "/vl_",
  "/projects/vl_",
  "/admin/x/%76l_",
  "/x/vl%5f",
  "/x/vl%255f",
  "/x/%76%6C%5F",
  "/admin/x/vl_=3D",
  "/x/vit_",
  "//admin/vl_",
])("abuse 7: the secret after %s never reaches the request log", async (spelling) => {
  await app.inject({ url: `http://localhost${spelling}${"0123456789".repeat(4)}abc?e=1` });
  expect(logged).toContain('"msg":"request"');
  expect(logged).toContain("[redacted]");
  expect(logged).not.toMatch(/0123456789|9abc/);
});

test("abuse 7: a secret that something else writes doesn't reach the log either", () => {
  const secret = `vl_${"0123456789".repeat(4)}abc`;
  app.log.error({ err: new Error(`can't read "${secret}"`), seen: [secret] }, `after ${secret},`);
  expect(logged).toContain("after [redacted]");
  expect(logged).not.toContain("0123456789");
});

test.each(["~", "%7e", "%7E"])(
  "preview tickets after %s never reach the request log",
  async (sign) => {
    await app.inject(`/_preview/01KAJ3X0M0AAAAAAAAAAAAAAAA/${sign}mwqth0gf.0123456789.abcdefghij/`);
    expect(logged).toContain(`/${sign}[redacted]/`);
    expect(logged).not.toContain("0123456789");
  },
);

async function rawAnswer(send: string): Promise<string> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  const address = app.server.address() as { port: number };
  const socket = connect(address.port, "127.0.0.1", () => socket.write(send));
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test("abuse 109: huge headers are 431 and the service goes on", async () => {
  const text = await rawAnswer(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(40_000)}\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 431 /);
  expect(text).toContain('"code":"headers_too_large"');
  expect((await app.inject("/")).statusCode).toBe(200);
});

/** Begins a request with this text on a server that allows headers a tenth of a second. */
async function impatient(count: number, text: string) {
  const log = createLog({ level: "silent", name: "test" });
  const headersTime = { timeoutMs: 100, checkIntervalMs: 20 };
  const server = createHttpServer({
    log,
    name: "test",
    secure: false,
    headersTimeout: headersTime,
  });
  server.get("/api/health", async () => ok(null));
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  const responses: string[] = [];
  let connected = 0;
  const sockets = Array.from({ length: count }, (_, at) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => (connected += 1));
    responses[at] = "";
    socket.on("data", (chunk) => (responses[at] += String(chunk)));
    socket.on("error", () => {});
    socket.write(text);
    return socket;
  });
  return {
    url,
    answers: responses,
    sockets,
    connected: () => connected,
    closed: () => sockets.filter(({ closed }) => closed).length,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server.close();
    },
  };
}

test("abuse 109: headers that come by and by are 408, however often a byte comes", async () => {
  await using slow = await impatient(3, "GET /api/health HTTP/1.1\r\nHost: localhost\r\n");
  const drip = setInterval(() => {
    for (const socket of slow.sockets) if (socket.writable) socket.write("X: y\r\n");
  }, 10);
  try {
    await eventually(() => expect(slow.closed()).toBe(3));
  } finally {
    clearInterval(drip);
  }
  for (const response of slow.answers) {
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    expect(response).toContain('"code":"request_timeout"');
  }
});

test("abuse 109: hundreds of silent connections are let go, and the service answers meanwhile", async () => {
  await using silent = await impatient(300, "");
  // Whoever asks here has a tenth of a second, too, and shares it with 300 farewells.
  const isServed = () =>
    eventually(async () => expect((await fetch(`${silent.url}/api/health`)).status).toBe(200));
  await eventually(() => expect(silent.connected()).toBe(300));
  await isServed();
  await eventually(() => expect(silent.closed()).toBe(300));
  await isServed();
});

test("abuse 108: what is under way as the server closes is answered, and its connection ended", async () => {
  const started = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  app.get("/api/slow", async () => {
    started.resolve();
    await ending.promise;
    return ok(null);
  });
  app.addHook("preClose", async () => ending.resolve());
  const response = rawAnswer("GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await started.promise;
  const closed = app.close();
  expect(await response).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*"ok":true/);
  await closed;
});

test("abuse 108: a connection that can't be taken is told of, and ends nothing", async () => {
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  for (let at = 0; at < 3; at += 1) {
    app.server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
  }
  expect(logged.match(/can't be accepted/g)).toHaveLength(1);
  expect((await fetch(url)).status).toBe(200);
});

test("abuse 110: what is not HTTP is answered in the envelope", async () => {
  const text = await rawAnswer("hello there\r\n\r\n");
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('"ok":false');
});

test.each([
  ["no Host", "GET /api/none HTTP/1.1\r\nConnection: close\r\n\r\n"],
  [
    "an unknown Expect",
    "GET /api/none HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n",
  ],
])("abuse 110: %s is answered in the envelope, with the security headers", async (_, send) => {
  const text = await rawAnswer(send);
  expect(text).toMatch(/^HTTP\/1\.1 404 /);
  expect(text).toContain('"code":"not_found"');
  expect(text).toContain("x-content-type-options: nosniff");
});
