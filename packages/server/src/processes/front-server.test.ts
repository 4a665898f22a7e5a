import { once } from "node:events";
import { cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { storeArtifact } from "../features/release/artifact/artifact-store.ts";
import type { AnsweredRequest } from "../platform/access-log.ts";
import { makeClientOf } from "../platform/http/client-address.ts";
import { trustFrontPeer } from "../platform/http/front-peer.ts";
import { createLog } from "../platform/log.ts";
import { createFront, type Front } from "./front-server.ts";
import { listenOnSocket } from "./shared-port.ts";

const page = (title: string) =>
  `<!doctype html><html lang="en"><title>${title}</title>${"<p>words</p>".repeat(200)}</html>`;

let folder: TempFolder;
let front: Front;
/** The requests that the front has logged. */
let logged: AnsweredRequest[];
let web: Server;
/** What web does with a request; tells who it comes from unless a test says otherwise. */
let handle: (request: IncomingMessage, response: ServerResponse) => unknown;
let sockets: Socket[];
let port: number;

const clientOf = makeClientOf({ trustedIps: [], trustProxy: [] });

async function publish(number: number, files: Record<string, string>): Promise<void> {
  const outDir = join(folder.path, `out-${number}`);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(outDir, path)), { recursive: true });
    await writeFile(join(outDir, path), content);
  }
  const artifact = await storeArtifact({
    outDir,
    mediaDir: join(folder.path, "media"),
    artifactsDir: join(folder.path, "artifacts"),
    bounds: { bytes: 2 ** 30, files: 1000 },
    redirects: { baseUrl: "https://example.com", list: [] },
  });
  const releases = join(folder.path, "releases");
  await mkdir(releases, { recursive: true });
  await cp(artifact.dir, join(releases, `${number}`), { recursive: true });
  await cp(`${artifact.dir}.json`, join(releases, `${number}.json`));
  await symlink(`releases/${number}`, join(folder.path, "next"));
  await rename(join(folder.path, "next"), join(folder.path, "current"));
}

const socketPath = () => join(folder.path, "web.sock");

async function startWeb(): Promise<void> {
  web = createServer((incoming, response) => handle(incoming, response));
  trustFrontPeer(web);
  await listenOnSocket(web, socketPath());
}

async function stopWeb(): Promise<void> {
  web.closeAllConnections();
  await new Promise((closed) => void web.close(closed));
}

beforeEach(async () => {
  folder = await tempFolder();
  await mkdir(join(folder.path, "media"));
  sockets = [];
  logged = [];
  handle = (incoming, response) => {
    const { method, url, headers } = incoming;
    const names = incoming.rawHeaders.filter((_, at) => at % 2 === 0);
    response.end(JSON.stringify({ method, url, names, headers, client: clientOf(incoming) }));
  };
  await publish(1, {
    "index.html": page("Home"),
    "about/index.html": page("About"),
    "account/index.html": page("Account"),
    "words.txt": "words",
    "video.mp4": "v".repeat(1024 * 1024),
  });
  await startWeb();
  const settings = {
    baseUrl: "https://site.example",
    trustedIps: [],
    trustProxy: [],
    logLevel: "silent",
    paths: { current: join(folder.path, "current"), releases: join(folder.path, "releases") },
    webSocket: socketPath(),
    sites: { folder: join(folder.path, "sites"), socket: join(folder.path, "sites.sock") },
  };
  front = createFront(settings, {
    log: createLog({ level: "silent", name: "test" }),
    accessLog: (entry) => void logged.push(entry),
  });
  front.server.listen(0, "127.0.0.1");
  await once(front.server, "listening");
  ({ port } = front.server.address() as AddressInfo);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  front.close();
  front.server.closeAllConnections();
  front.server.close();
  await stopWeb();
  await folder.remove();
});

interface Got {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

async function ask(
  path: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: object; body?: string } = {},
): Promise<Got> {
  const call = request({
    host: "127.0.0.1",
    port,
    path,
    method,
    agent: false,
    headers: { ...headers },
  });
  call.end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

/** Sends bytes as they are, and gives all that comes until the connection ends. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write(bytes);
  return text(socket);
}

const asJson = ({ body }: Got) => JSON.parse(body) as Record<string, never>;

describe("pages", () => {
  test("are answered from the current release, with web's headers, also while web is away", async () => {
    await stopWeb();
    const home = await ask("/", { headers: { "accept-encoding": "br" } });
    expect(home).toMatchObject({
      status: 200,
      headers: {
        "content-encoding": "br",
        "content-type": "text/html; charset=utf-8",
        "cache-control": "public, max-age=0, must-revalidate",
        "x-content-type-options": "nosniff",
        "strict-transport-security": "max-age=31536000",
        vary: "Accept-Encoding",
      },
    });
    expect(home.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    const { etag = "" } = home.headers;
    const headers = { "accept-encoding": "br", "if-none-match": etag };
    expect(await ask("/", { headers })).toMatchObject({ status: 304, body: "" });
    expect(await ask("/about?a=1")).toMatchObject({
      status: 308,
      headers: { location: "/about/?a=1", "content-length": "0" },
    });
    const part = await ask("/", { headers: { range: "bytes=0-8" } });
    expect([part.status, part.body]).toEqual([206, "<!doctype"]);
    expect(await ask("/about/", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    expect((await ask("/nothing/")).status).toBe(404);
    // With a cookie web is asked; until it is back the page is the public one.
    const known = { headers: { cookie: "vitrine_admin=1" } };
    expect((await ask("/", known)).body).toBe(page("Home"));
    expect((await ask("/nothing/", known)).status).toBe(503);
  });

  test("of a release that becomes current are answered at the very next request", async () => {
    expect((await ask("/")).body).toBe(page("Home"));
    await publish(2, { "index.html": page("New") });
    expect((await ask("/")).body).toBe(page("New"));
    expect((await ask("/about/")).status).toBe(404);
  });

  test("are everybody's whatever cookies they have, but for the admin's pages and what is missing", async () => {
    const cookie = "theme=dark; session=1";
    expect((await ask("/", { headers: { cookie } })).body).toBe(page("Home"));
    const admin = { headers: { cookie: "a=b; __Host-vitrine_admin=1" } };
    expect((await ask("/about", admin)).status).toBe(308);
    expect((await ask("/words.txt", admin)).body).toBe("words");
    for (const [path, options] of [
      ["/", admin],
      ["/", { headers: { cookie: "vitrine_admin=1" } }],
      ["/nothing/", { headers: { cookie } }],
    ] as const) {
      expect(asJson(await ask(path, options)).url).toBe(path);
    }
  });

  test("are logged once each, with the request's id and without secrets", async () => {
    const paths = ["/", "/", "/about", "/nothing/vl_0123456789abcdef?token=x", "/video.mp4"];
    const ids: unknown[] = [];
    for (const path of paths) ids.push((await ask(path)).headers["x-request-id"]);
    await eventually(() => expect(logged).toHaveLength(paths.length));
    expect(logged).toMatchObject(
      [200, 200, 308, 404, 200].map((status, at) => ({
        reqId: ids[at],
        method: "GET",
        status,
        ip: "127.0.0.1",
      })),
    );
    expect(logged.map(({ pathJson }) => JSON.parse(pathJson) as unknown)).toEqual([
      "/",
      "/",
      "/about",
      "/nothing/[redacted]",
      "/video.mp4",
    ]);
  });

  test("are web's with a body, a foreign host, or in a spelling that may mean another one", async () => {
    const toWeb = [
      ["/", { headers: { host: "evil.example" } }],
      ["/", { method: "POST" }],
      ["/", { headers: { "content-length": "1" }, body: "a" }],
      ["/%61pi/health", {}],
      ["//devconsole/run", {}],
      ["/x/../_preview/live", {}],
      ["/%zz", {}],
      ["/admin", {}],
      ["/account/", {}],
      ["/account/verify?token=a", {}],
    ] as const;
    for (const [path, options] of toWeb) expect(asJson(await ask(path, options)).url).toBe(path);
  });
});

describe("all else is passed on", () => {
  test("with its body and fields, but for those of the connection", async () => {
    const got = asJson(
      await ask("/api/x?y=%2F", {
        method: "DELETE",
        headers: {
          connection: "x-mine, close, cookie",
          "x-mine": "1",
          te: "trailers",
          cookie: "a=b",
        },
      }),
    ) as unknown as { method: string; url: string; headers: Record<string, string> };
    expect(got).toMatchObject({
      method: "DELETE",
      url: "/api/x?y=%2F",
      headers: { cookie: "a=b" },
    });
    expect(Object.keys(got.headers).toSorted()).toEqual(["connection", "cookie", "host"]);
    let received = "";
    handle = async (incoming, response) => {
      received = await text(incoming);
      response.writeHead(201, "Made", [
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
      ]);
      response.end("ok");
    };
    const body = "0123456789".repeat(400_000);
    const made = await ask("/api/x", { method: "PUT", body });
    expect([made.status, made.headers["set-cookie"], made.body]).toEqual([
      201,
      ["a=1", "b=2"],
      "ok",
    ]);
    expect(received).toBe(body);
  });

  test("abuse 175: a client can't say that it is another one", async () => {
    const headers = { "x-vitrine-peer": "10.0.0.1", "x-forwarded-for": "10.0.0.2" };
    expect(asJson(await ask("/api/x", { headers })).client).toEqual({
      address: "127.0.0.1",
      bucket: "127.0.0.1",
      trusted: false,
    });
    const hidden = { ...headers, connection: "x-forwarded-for, x-vitrine-peer, close" };
    expect(asJson(await ask("/api/x", { headers: hidden })).client).toMatchObject({
      trusted: false,
    });
    const twice =
      "GET /api/x HTTP/1.1\r\nHost: a\r\nX-Vitrine-Peer: 10.0.0.1\r\nx-vitrine-peer: 10.0.0.2\r\nConnection: close\r\n\r\n";
    expect(await raw(twice)).toContain('"address":"127.0.0.1"');
  });

  test("abuse 176: a request with two readings is refused, and never gets to web", async () => {
    const seen: string[] = [];
    handle = (incoming, response) => {
      seen.push(incoming.url ?? "");
      incoming.resume().once("end", () => response.end("answered"));
    };
    const head = "POST /api/x HTTP/1.1\r\nHost: a\r\n";
    const inner = "GET /admin/smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    for (const rest of [
      `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345${inner}`,
      `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Content-Length: +5\r\n\r\n12345${inner}`,
      `X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    ]) {
      const answer = await raw(head + rest);
      expect([rest, answer]).toEqual([rest, expect.stringMatching(/^HTTP\/1\.1 400 /)]);
    }
    // The chunk is found to be broken when web has the request already: it must not get the rest of it.
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n${inner}`)).not.toContain(
      "answered",
    );
    expect(seen).not.toContain("/admin/smuggled");
    const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`;
    expect(await raw(long)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("an event stream arrives as it is written, and a client that leaves is gone for web, too", async () => {
    const gone = Promise.withResolvers<void>();
    let stream: ServerResponse | null = null;
    handle = (_incoming, response) => {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      response.once("close", gone.resolve);
    };
    const call = request({ host: "127.0.0.1", port, path: "/devconsole/stream", agent: false });
    call.on("error", () => {});
    call.end();
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    answer.on("error", () => {});
    for (const event of ["first", "second"]) {
      stream!.write(`data: ${event}\n\n`);
      const [chunk] = (await once(answer, "data")) as [Buffer];
      expect(chunk.toString()).toBe(`data: ${event}\n\n`);
    }
    call.destroy();
    await expect(gone.promise).resolves.toBeUndefined();
  });

  test("a client that leaves while it sends is gone for web, too", async () => {
    const gone = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    handle = (incoming) => {
      incoming.once("data", () => started.resolve());
      incoming.on("error", () => {});
      incoming.once("close", gone.resolve);
    };
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.write("POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
    await started.promise;
    socket.destroy();
    await expect(gone.promise).resolves.toBeUndefined();
  });

  test("abuse 177: a refusal before the body's end gets to a client that is still sending", async () => {
    handle = (_incoming, response) => {
      response.writeHead(413, { connection: "close", "content-length": "9" });
      response.end("too large");
    };
    const call = request({ host: "127.0.0.1", port, path: "/api/x", method: "POST", agent: false });
    call.on("error", () => {});
    const answered = once(call, "response") as Promise<[IncomingMessage]>;
    const chunk = Buffer.alloc(64 * 1024);
    for (let at = 0; at < 100; at += 1) call.write(chunk);
    call.end();
    const [answer] = await answered;
    expect([answer.statusCode, await text(answer)]).toEqual([413, "too large"]);
  });

  test("abuse 177: whoever still sends after the refusal isn't cut off before the end", async () => {
    handle = (_incoming, response) => {
      response.writeHead(413, { connection: "close", "content-length": "9" });
      response.end("too large");
    };
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    const lines: string[] = [];
    socket.on("error", (error) => lines.push(error.message));
    socket.on("end", () => lines.push("end"));
    socket.on("data", (chunk: Buffer) => lines.push(...chunk.toString().split("\r\n")));
    const chunk = Buffer.alloc(1024 * 1024);
    socket.write(`POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: ${3 * chunk.length}\r\n\r\n`);
    socket.write(chunk);
    await eventually(() => expect(lines).toContain("too large"));
    for (let round = 0; round < 2; round += 1) {
      // An answer to another client shows that the front has had its turn.
      await ask("/about/");
      expect(lines).not.toContain("end");
      await new Promise((written) => void socket.write(chunk, written));
    }
    await eventually(() => expect(lines.at(-1)).toBe("end"));
  });

  test("backpressure: what a client doesn't take isn't taken from web either", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let written = 0;
    handle = (_incoming, response) => {
      response.writeHead(200);
      const more = () => {
        do written += 1;
        while (response.write(chunk) && written < 200);
        if (written < 200) response.once("drain", more);
      };
      more();
    };
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.pause();
    socket.write("GET /api/x HTTP/1.1\r\nHost: a\r\n\r\n");
    let before = -1;
    await eventually(() => {
      const same = written > 0 && written === before;
      before = written;
      expect(same).toBe(true);
    });
    expect(written).toBeLessThan(50);
  });
});

describe("abuse 178: while web is away", () => {
  test("a request waits for it for a moment, with its body, and reaches the next one", async () => {
    await stopWeb();
    let body = "";
    handle = async (incoming, response) => {
      body = await text(incoming);
      response.end("late");
    };
    const response = ask("/api/x", { method: "POST", body: "kept" });
    await startWeb();
    expect((await response).body).toBe("late");
    expect(body).toBe("kept");
  });

  test("what has waited too long gets 503 with the time to come back in, as do those beyond the bound", async () => {
    await stopWeb();
    const began = performance.now();
    const responses = Array.from({ length: 80 }, async () => {
      const { status, headers, body } = await ask("/api/x", { method: "POST", body: "{}" });
      expect([status, headers["retry-after"], JSON.parse(body)]).toMatchObject([
        503,
        "2",
        { ok: false },
      ]);
      return performance.now() - began;
    });
    const times = await Promise.all(responses);
    expect(times.filter((ms) => ms >= 1900).length).toBe(64);
    await startWeb();
  });

  test("a person who opens a page gets one that opens it again", async () => {
    await stopWeb();
    const headers = { accept: "text/html,*/*;q=0.8" };
    const response = await ask("/admin", { headers });
    expect([response.status, response.headers["content-type"]]).toEqual([
      503,
      "text/html; charset=utf-8",
    ]);
    expect(response.body).toContain('<meta http-equiv="refresh" content="2">');
    expect(response.body).toContain("The server is restarting.");
    await startWeb();
  });

  test("a page is asked for once more where web is lost over it; a change is not", async () => {
    let requestCount = 0;
    handle = (incoming, response) => {
      requestCount += 1;
      if (requestCount === 1) incoming.socket.destroy();
      else response.end("again");
    };
    expect((await ask("/api/x")).body).toBe("again");
    requestCount = 0;
    const got = await ask("/api/x", { method: "POST", body: "{}" });
    expect([got.status, asJson(got).error]).toMatchObject([502, { code: "upstream_failed" }]);
    expect(requestCount).toBe(1);
  });

  test("half an answer is seen to be one", async () => {
    handle = (incoming, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setImmediate(() => incoming.socket.destroy());
    };
    await expect(ask("/api/x")).rejects.toThrow("aborted");
  });
});
