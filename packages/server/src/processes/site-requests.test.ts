import { cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { testWorkers } from "../../../../test/support/workers.ts";
import { storeArtifact } from "../features/release/artifact/artifact-store.ts";
import { registerSite } from "../features/release/api.ts";
import { openSiteFiles } from "../features/release/site/site-files.ts";
import type { AnsweredRequest } from "../platform/access-log.ts";
import { makeClientOf } from "../platform/http/client-address.ts";
import { allowedHosts } from "../platform/http/origin.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";
import { trackUnreadResponses } from "../platform/http/unread-responses.ts";
import { createLog } from "../platform/log.ts";
import { respondFromMemory } from "./site-requests.ts";

const baseUrl = "https://site.example";
const log = createLog({ level: "silent", name: "test" });
const clientOf = makeClientOf({ trustedIps: [], trustProxy: [] });
const page = (title: string) =>
  `<!doctype html><html lang="en"><title>${title}</title>${"<p>words</p>".repeat(200)}<script>go()</script></html>`;

let folder: TempFolder;
let servers: AppServer[];
/** The server whose router and hooks see every request, and the one that answers from memory first. */
let routed: number;
let direct: number;
/** What the second one has answered from memory. */
let fromMemory: AnsweredRequest[];

const sitePaths = () => ({
  current: join(folder.path, "current"),
  releases: join(folder.path, "releases"),
});

async function publish(number: number, files: Record<string, string | Buffer>): Promise<void> {
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
    redirects: { baseUrl, list: [{ from: "/old/", to: "/about/" }] },
  });
  const { releases, current } = sitePaths();
  await mkdir(releases, { recursive: true });
  await cp(artifact.dir, join(releases, `${number}`), { recursive: true });
  await cp(`${artifact.dir}.json`, join(releases, `${number}.json`));
  await symlink(`releases/${number}`, `${current}-next`);
  await rename(`${current}-next`, current);
}

/** The public site as web serves it: the admin gets the console, and a member a page of their own. */
async function startSite(withMemory: boolean): Promise<number> {
  const site = openSiteFiles(sitePaths());
  const unread = trackUnreadResponses();
  const app = createHttpServer({ log, unread, name: "test", secure: true, accessLog: () => {} });
  const accessLog = (request: AnsweredRequest) => void fromMemory.push(request);
  if (withMemory) respondFromMemory(app, { baseUrl, site, clientOf, unread, accessLog });
  app.addHook("onRequest", allowedHosts({ names: ["site.example"], anyAddress: true }));
  app.get("/account/*", async (request, reply) =>
    reply
      .type("text/plain; charset=utf-8")
      .send(`account of ${request.headers.cookie ?? "nobody"}`),
  );
  app.get("/api/health", async () => ({ ok: true }));
  registerSite(app, {
    ...site,
    log,
    workers: testWorkers,
    decorate: async ({ headers }) =>
      headers.cookie?.includes("__Host-vitrine_admin=yes") ? "the console" : null,
    findOwnContent: async ({ headers }, path) =>
      headers.cookie?.includes("member=yes") && path === "/own/" ? { to: "/elsewhere/" } : null,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  servers.push(app);
  return (app.server.address() as AddressInfo).port;
}

beforeAll(async () => {
  folder = await tempFolder();
  servers = [];
  fromMemory = [];
  await mkdir(join(folder.path, "media/2026"), { recursive: true });
  await writeFile(join(folder.path, "media/2026/photo.webp"), "picture");
  await publish(1, {
    "index.html": page("Home"),
    "about/index.html": page("About"),
    "account/index.html": page("Account"),
    "404.html": page("No such page"),
    "ünïcode/index.html": page("Letters"),
    "a b.txt": "space",
    "100%.txt": "percent",
    "_astro/style.abc123.css": "p{color:red}".repeat(100),
    "notes.txt": "0123456789",
    "empty.txt": "",
    "api/shadow.txt": "not to be served",
    "devconsole/shadow.txt": "not to be served",
    "video.mp4": Buffer.alloc(2 * 1024 * 1024, "0123456789abcdef"),
  });
  routed = await startSite(false);
  direct = await startSite(true);
});
afterAll(async () => {
  await Promise.all(servers.map((app) => app.close()));
  await folder.remove();
});

/** What may differ between two responses to the same request. */
const volatile = /^(?:date|x-request-id): /;

/** Sends bytes as they are. Gives status, fields, and body; without the fields that always differ. */
async function send(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(bytes, "latin1");
  const answer = await buffer(socket);
  const end = answer.indexOf("\r\n\r\n");
  const [status, ...fields] = answer.subarray(0, end).toString("latin1").split("\r\n");
  const lines = fields.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()));
  const ids = lines.filter((line) => volatile.test(line)).map((line) => line.split(":")[0]);
  return {
    status,
    fields: lines.filter((line) => !volatile.test(line)).toSorted(),
    ids,
    // Of the responses that follow in the same connection, too.
    body: answer
      .subarray(end + 4)
      .toString("latin1")
      .replace(/\r\n(?:date|x-request-id): [^\r]*/gi, ""),
  };
}

function ask(path: string, fields: Record<string, string> = {}, method = "GET"): string {
  const all = { Host: "site.example", Connection: "close", ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Where the two servers differ over requests, each made twice: what is read at first is in memory then. */
async function differences(requests: readonly string[]): Promise<object[]> {
  const found: object[] = [];
  for (const bytes of requests) {
    for (const round of ["first", "second"]) {
      const [expected, got] = [await send(routed, bytes), await send(direct, bytes)];
      if (!isDeepStrictEqual(expected, got)) found.push({ bytes, round, expected, got });
    }
  }
  return found;
}

const addresses = [
  "/",
  "/?a=1&b=%2F",
  "/about/",
  "/about",
  "/about?x=%zz",
  "/about/index.html",
  "/old/",
  "/old?q=1",
  "/404.html",
  "/nothing/",
  "/nothing/vl_0123456789abcdefghijk",
  "/notes.txt",
  "/notes.txt/",
  "/empty.txt",
  "/_astro/style.abc123.css",
  "/media/2026/photo.webp",
  "/video.mp4",
];

const hostile = [
  "//about/",
  "//evil.example/%2e%2e",
  "/../about/",
  "/./about/",
  "/about/../notes.txt",
  "/%61bout/",
  "/a%20b.txt",
  "/a b.txt",
  "/100%.txt",
  "/100%25.txt",
  "/%C3%BCn%C3%AFcode/",
  "/\xfcn\xefcode/",
  "/%zz",
  "/%00",
  "/about/\0",
  "/about#fragment",
  "/notes.txt?a#b",
  "/notes.txt?a\\b",
  "/notes.txt;a=1",
  "/\\about/",
  "/about\\",
  "http://site.example/about/",
  "http://evil.example/",
  "*",
  "/api/shadow.txt",
  "/api/health",
  "/API/health",
  "/devconsole/shadow.txt",
  "/DevConsole/shadow.txt",
  "/_preview/live",
  "/x/../_preview/live",
  "/admin",
  "/adminX",
  "/account/",
  "/account",
  "/account/verify?token=a",
  "/accounting/",
  "/__proto__",
  "/constructor",
  "/toString/",
  "/favicon.ico",
  "/notes.txt.br",
  "/notes.txt.gz",
  "/index.html.br",
  `/${"long/".repeat(400)}`,
  `/about/?${"q=1&".repeat(2000)}`,
];

const oddFields: Record<string, string>[] = [
  { "Content-Type": "text/plain" },
  { "Content-Type": "text/plain\tx" },
  { "Content-Length": "0" },
  { "X-Forwarded-For": "127.0.0.1" },
  { "X-Vitrine-Peer": "127.0.0.1" },
  { "X-HTTP-Method-Override": "DELETE" },
  { "X-Original-URL": "/admin" },
  { Expect: "nothing" },
  { Origin: "https://evil.example" },
  { Authorization: "Bearer vit_0123456789abcdef" },
  { "If-Modified-Since": "Sat, 28 Nov 2099 00:00:00 GMT" },
  { "If-Match": '"x"' },
  { TE: "trailers" },
];

const closing = "Connection: close\r\n\r\n";
const framings = [
  "GET / HTTP/1.0\r\n\r\n",
  "GET / HTTP/1.0\r\nHost: site.example\r\n\r\n",
  `GET / HTTP/1.1\r\n${closing}`,
  `GET / HTTP/1.1\r\nHost: site.example\r\nHost: evil.example\r\n${closing}`,
  `GET / HTTP/1.1\r\nHost: site.example\r\nUpgrade: websocket\r\n${closing}`,
  `GET / HTTP/1.1\r\nHost: site.example\r\nContent-Length: 1\r\n${closing}a`,
  `GET / HTTP/1.1\r\nHost: site.example\r\nTransfer-Encoding: chunked\r\n${closing}0\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: site.example\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n${closing}0\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost : site.example\r\n${closing}`,
  `GET  / HTTP/1.1\r\nHost: site.example\r\n${closing}`,
  "GET / HTTP/1.1\nHost: site.example\nConnection: close\n\n",
  "GET /\r\n\r\n",
];

describe("what is answered from memory is what the router's route answers", () => {
  test("at every kind of address, by GET and HEAD", async () => {
    const all = [...addresses, ...hostile];
    const requests = all.flatMap((path) => [ask(path), ask(path, {}, "HEAD")]);
    expect(await differences(requests)).toEqual([]);
    const answered = new Set(fromMemory.map(({ pathJson }) => pathJson));
    for (const path of ["/", "/about/", "/about", "/old/", "/notes.txt", "/nothing/"]) {
      expect(answered).toContain(JSON.stringify(path));
    }
    // Secrets that somebody put into an address don't get to the log.
    expect(JSON.stringify(fromMemory)).not.toContain("0123456789abcdefghijk");
  });

  test("in every encoding that is asked for", async () => {
    const choices = [
      "br",
      "gzip",
      "x-gzip",
      "gzip, deflate, br, zstd",
      "br;q=0, gzip",
      "br;q=0.1, gzip;q=0.9",
      "br;q=2",
      "br;q=abc, gzip;q=0.5",
      "identity;q=0, *;q=0",
      "*",
      "*;q=0.5, br;q=0",
      "BR ; Q=1",
      "",
      ",,;q=1,",
      `${"x,".repeat(300)}br`,
    ];
    const paths = ["/", "/nothing/", "/_astro/style.abc123.css", "/media/2026/photo.webp"];
    const requests = paths.flatMap((path) =>
      choices.map((choice) => ask(path, { "Accept-Encoding": choice })),
    );
    expect(await differences(requests)).toEqual([]);
  });

  test("to whoever has it already, and to whoever wants a part", async () => {
    const { fields } = await send(direct, ask("/", { "Accept-Encoding": "br" }));
    const etag = fields.find((line) => line.startsWith("etag: "))?.slice("etag: ".length) ?? "";
    expect(etag).toMatch(/-br"$/);
    const tags = [etag, `W/${etag}`, `"other", ${etag}`, "*", '"other"', "", etag.slice(1)];
    const conditional = tags.flatMap((tag) => [
      ask("/", { "If-None-Match": tag, "Accept-Encoding": "br" }),
      ask("/", { "If-None-Match": tag }),
      ask("/nothing/", { "If-None-Match": tag, "Accept-Encoding": "br" }),
    ]);
    const ranges = ["bytes=0-3", "bytes=-4", "bytes=99999999-", "bytes=0-1,3-4", "lines=1-2"];
    const parts = ["/notes.txt", "/video.mp4", "/", "/nothing/"].flatMap((path) =>
      ranges.flatMap((range) => [
        ask(path, { Range: range }),
        ask(path, { Range: range, "If-Range": etag }),
        ask(path, { Range: range }, "HEAD"),
      ]),
    );
    expect(await differences([...conditional, ...parts])).toEqual([]);
  });

  test("to admins, members, and people with other cookies", async () => {
    const cookies = [
      "theme=dark",
      "__Host-vitrine_admin=yes",
      "a=b; __Host-vitrine_admin=yes; c=d",
      "vitrine_admin=yes",
      "member=yes",
      "member=yes; __Host-vitrine_admin=yes",
      "",
    ];
    const requests = cookies.flatMap((cookie) =>
      [...addresses, "/own/", "/account/"].map((path) => ask(path, { Cookie: cookie })),
    );
    expect(await differences(requests)).toEqual([]);
    const own = await send(direct, ask("/own/", { Cookie: "member=yes" }));
    expect(own.status).toContain(" 307 ");
    const admin = await send(direct, ask("/", { Cookie: "__Host-vitrine_admin=yes" }));
    expect(admin.body).toBe("the console");
  });

  test("abuse 181: to requests that are none of the site's, or have two readings", async () => {
    // Whoever was allowed before makes nobody else so.
    const hosts = ["evil.example", "site.example.evil.example", "127.0.0.1", "[::1]:1", "a b"];
    const byHost = hosts.flatMap((host) => [ask("/", { Host: host }), ask("/")]);
    const byMethod = ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"].map((method) =>
      ask("/", { "Content-Length": "0" }, method),
    );
    const byField = oddFields.map((extra) => ask("/", extra));
    expect(await differences([...byHost, ...byMethod, ...byField, ...framings])).toEqual([]);
  });

  test("several in one go are answered in their order", async () => {
    const kept = { Connection: "keep-alive" };
    const all = ["/notes.txt", "/video.mp4", "/", "/nothing/", "/account/"].map((path) =>
      ask(path, kept),
    );
    expect(await differences([all.join("") + ask("/about/")])).toEqual([]);
  });
});

test("each request has an id of its own in its response and in the log", async () => {
  fromMemory.length = 0;
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const response = await fetch(`http://127.0.0.1:${direct}/notes.txt`);
    await response.text();
    ids.push(response.headers.get("x-request-id") ?? "");
  }
  expect(new Set(ids).size).toBe(3);
  expect(fromMemory).toMatchObject(
    ids.map((reqId) => ({ reqId, method: "GET", status: 200, ip: "127.0.0.1" })),
  );
});

test("a release that becomes current is what the very next request gets", async () => {
  for (const [number, title] of [
    [2, "Second"],
    [3, "Third"],
  ] as const) {
    await publish(number, { "index.html": page(title), "notes.txt": title });
    for (const port of [routed, direct]) {
      const response = await fetch(`http://127.0.0.1:${port}/notes.txt`);
      expect(await response.text()).toBe(title);
    }
    expect((await send(direct, ask("/"))).body).toBe(page(title));
    expect((await send(direct, ask("/about/"))).status).toContain(" 404 ");
  }
});

test("abuse 182: a connection that asks for more than it reads is closed, from memory as well", async () => {
  const socket = connect(direct, "127.0.0.1");
  const ended = new Promise((closed) => void socket.once("close", closed));
  socket.on("error", () => {});
  socket.pause();
  const bytes = ask("/video.mp4", { Connection: "keep-alive" });
  socket.write(bytes + ask("/notes.txt", { Connection: "keep-alive" }).repeat(20));
  socket.resume();
  await ended;
  expect(socket.bytesRead).toBeLessThan(2 * 1024 * 1024);
});
