import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { storeArtifact } from "../features/release/artifact/artifact-store.ts";
import { makeJobRecords } from "../features/sites/job-records.ts";
import type { SiteRoute } from "../features/sites/registry.ts";
import { AppError } from "../kit/errors.ts";
import type { AnsweredRequest } from "../platform/access-log.ts";
import { createLog } from "../platform/log.ts";
import { createFront, type Front } from "./front-server.ts";
import { listenOnSocket } from "./shared-port.ts";
import { makeSitesServer, type SitesServer } from "./sites-server.ts";

let folder: TempFolder;
let front: Front;
let port: number;
let known: SitesServer;
let logged: AnsweredRequest[];
/** What the process of sites knows, was asked, and was to wake. */
let routes: Map<string, SiteRoute>;
let lookups: string[];
let woken: string[];
let wakeError: AppError | null;
const servers: Server[] = [];

const log = createLog({ level: "silent", name: "test" });
const unused = async (): Promise<never> => {
  throw new Error("a front lists no sites");
};
const route = (id: string, changes: Partial<SiteRoute> = {}): SiteRoute => ({
  id,
  status: "active",
  baseUrl: `https://${id}.example`,
  changedAt: "",
  ...changes,
});

/** A folder with one release, whose home page says `title`. */
async function publish(
  dir: string,
  title: string,
  files: Record<string, string> = {},
): Promise<void> {
  const outDir = join(folder.path, `out-${title}`);
  await mkdir(outDir);
  for (const [name, words] of Object.entries(files)) {
    await mkdir(dirname(join(outDir, name)), { recursive: true });
    await writeFile(join(outDir, name), words);
  }
  const page = `<!doctype html><html lang="en"><title>${title}</title>${"<p>words</p>".repeat(99)}</html>`;
  await writeFile(join(outDir, "index.html"), page);
  const artifact = await storeArtifact({
    outDir,
    mediaDir: join(folder.path, "media"),
    artifactsDir: join(folder.path, "artifacts"),
    bounds: { bytes: 2 ** 30, files: 1000 },
    redirects: { baseUrl: "https://example.com", list: [] },
  });
  await mkdir(join(dir, "releases"), { recursive: true });
  await cp(artifact.dir, join(dir, "releases/1"), { recursive: true });
  await cp(`${artifact.dir}.json`, join(dir, "releases/1.json"));
  await symlink("releases/1", join(dir, "current"));
}

/** A web on a Unix socket that says whose it is. */
async function startWeb(name: string, socket: string): Promise<Server> {
  const server = createServer((incoming, response) => {
    response.end(`${name} got ${incoming.url} for ${incoming.headers.host}`);
  });
  servers.push(server);
  await listenOnSocket(server, socket);
  return server;
}

const socketOf = (id: string) => join(folder.path, `${id}.sock`);

beforeEach(async () => {
  folder = await tempFolder();
  [logged, lookups, woken, wakeError] = [[], [], [], null];
  routes = new Map([
    ["anna.example", route("anna")],
    ["www.anna.example", route("anna")],
    ["bob.example", route("bob", { status: "suspended" })],
    ["soon.example", route("soon", { status: "creating" })],
  ]);
  await mkdir(join(folder.path, "media"));
  await publish(folder.path, "own");
  await publish(join(folder.path, "sites/anna/data"), "anna");
  known = makeSitesServer({
    async findRoute(domain) {
      lookups.push(domain);
      return routes.get(domain) ?? null;
    },
    async wake(id) {
      woken.push(id);
      if (wakeError !== null) throw wakeError;
      return socketOf(id);
    },
    listAwake: () => [],
    listAwakeEverywhere: unused,
    node: "",
    jobs: makeJobRecords({ db: null as never, dialect: "sqlite" }),
    registry: { get: unused, search: unused },
    log,
  });
  servers.push(known.server);
  await listenOnSocket(known.server, join(folder.path, "sites.sock"));
  await startWeb("own web", join(folder.path, "web.sock"));
  const settings = {
    baseUrl: "https://own.example",
    trustedIps: [],
    trustProxy: [],
    logLevel: "silent",
    paths: { current: join(folder.path, "current"), releases: join(folder.path, "releases") },
    webSocket: join(folder.path, "web.sock"),
    sites: { folder: join(folder.path, "sites"), socket: join(folder.path, "sites.sock") },
  };
  front = createFront(settings, { log, accessLog: (entry) => void logged.push(entry) });
  front.server.listen(0, "127.0.0.1");
  await once(front.server, "listening");
  ({ port } = front.server.address() as AddressInfo);
});
afterEach(async () => {
  front.close();
  known.close();
  for (const server of [front.server, ...servers.splice(0)]) {
    server.closeAllConnections();
    server.close();
  }
  await folder.remove();
});

async function ask(host: string, path = "/", headers: Record<string, string> = {}) {
  const call = request({ port, path, agent: false, headers: { host, ...headers } });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers: given } = response;
  return { status, headers: given, body: await text(response) };
}

/** Waits until the front follows the process of sites: until then, it forgets what it has learned. */
async function untilFollowed(): Promise<void> {
  await eventually(async () => {
    lookups = [];
    await ask("first.example");
    await ask("first.example");
    expect(lookups).toEqual([]);
  });
  logged.length = 0;
}

test("each host gets its own site, from memory after the first request", async () => {
  await untilFollowed();
  expect((await ask("own.example")).body).toContain("<title>own");
  expect((await ask("127.0.0.1")).body).toContain("<title>own");
  expect(lookups).toEqual([]);
  for (const host of ["anna.example", "ANNA.example:8443", "anna.example."]) {
    expect(await ask(host)).toMatchObject({
      status: 200,
      body: expect.stringContaining("<title>anna"),
      headers: { "strict-transport-security": expect.any(String) },
    });
  }
  expect(lookups).toEqual(["anna.example"]);
  expect(woken).toEqual([]);
  expect(logged.map(({ site }) => site)).toEqual([undefined, undefined, "anna", "anna", "anna"]);
});

test("other domains of a site lead to its main one, and never elsewhere", async () => {
  for (const [path, location] of [
    ["/about/?a=1", "https://anna.example/about/?a=1"],
    ["//evil.example/", "https://anna.example/"],
    ["//evil.example\\@", "https://anna.example/"],
  ] as const) {
    const { status, headers } = await ask("www.anna.example", path);
    expect([status, headers.location]).toEqual([308, location]);
  }
});

test("abuse 241: files of one site's release, media, and previews aren't at another's host", async () => {
  routes.set("bob.example", route("bob"));
  const files = { "media/2026/bob.svg": "<svg>BOB</svg>", "studies/only/index.html": "BOB" };
  const bob = join(folder.path, "sites/bob/data");
  await publish(bob, "bob", files);
  await mkdir(join(bob, "artifacts/abc"), { recursive: true });
  await mkdir(join(bob, "media-originals"));
  await writeFile(join(bob, "artifacts/abc/index.html"), "BOB");
  await writeFile(join(bob, "media-originals/bob.jpg"), "BOB");
  await startWeb("web of anna", socketOf("anna"));
  expect((await ask("bob.example", "/media/2026/bob.svg")).body).toContain("BOB");
  expect((await ask("bob.example", "/studies/only/")).body).toContain("BOB");
  const inside = [
    "current/media/2026/bob.svg",
    "releases/1/index.html",
    "artifacts/abc/index.html",
  ];
  const out = ["..", "%2e%2e", "..%2f..", "%2e%2e%2f%2e%2e"];
  const paths = [
    "/media/2026/bob.svg",
    "/studies/only/",
    "/artifacts/abc/",
    "/media-originals/bob.jpg",
    "/_preview/01J00000000000000000000000/media/2026/bob.svg",
    ...inside.flatMap((path) => out.map((up) => `/${up}/${up}/bob/data/${path}`)),
    ...inside.flatMap((path) => out.map((up) => `/media/${up}/${up}/${up}/${up}/bob/data/${path}`)),
  ];
  for (const path of paths) {
    const { body } = await ask("anna.example", path);
    expect([path, body]).toEqual([path, expect.not.stringContaining("BOB")]);
    const asked = await ask("anna.example", path, { "x-forwarded-host": "bob.example" });
    expect([path, asked.body]).toEqual([path, expect.not.stringContaining("BOB")]);
  }
});

test("hosts of no site, and of one that isn't finished, go to the own web, which refuses them", async () => {
  for (const host of ["nobody.example", "soon.example"]) {
    expect((await ask(host)).body).toBe(`own web got / for ${host}`);
  }
});

test("abuse 215: a suspended site answers nothing but that, also to those who know its paths", async () => {
  await publish(join(folder.path, "sites/bob/data"), "bob");
  for (const path of ["/", "/api/health", "/admin"]) {
    const { status, body } = await ask("bob.example", path, { accept: "text/html" });
    expect([status, body]).toEqual([503, expect.stringContaining("<h1>Not available</h1>")]);
  }
  expect(woken).toEqual([]);
});

test("what isn't a public file wakes the site once and goes to its own web", async () => {
  await startWeb("anna's web", socketOf("anna"));
  const paths = ["/api/health", "/admin", "/devconsole/runs"];
  const answers = await Promise.all(paths.map((path) => ask("anna.example", path)));
  expect(answers.map(({ body }) => body)).toEqual(
    paths.map((path) => `anna's web got ${path} for anna.example`),
  );
  expect(woken).toEqual(["anna"]);
});

test("a site that fell asleep is woken again, wherever its web is then", async () => {
  const first = await startWeb("first", socketOf("anna"));
  expect((await ask("anna.example", "/api/a")).body).toContain("first got");
  known.send({ kind: "asleep", id: "anna" });
  first.closeAllConnections();
  await new Promise((closed) => void first.close(closed));
  await startWeb("second", socketOf("anna"));
  expect((await ask("anna.example", "/api/b")).body).toContain("second got");
});

test("abuse 218: if a site can't be woken, its pages are there and the rest can be tried again", async () => {
  wakeError = new AppError("unavailable", "busy", { headers: { "retry-after": "10" } });
  const page = await ask("anna.example", "/", { cookie: "vitrine_admin=1" });
  expect([page.status, page.body]).toEqual([200, expect.stringContaining("<title>anna")]);
  const { status, headers } = await ask("anna.example", "/api/health");
  expect([status, headers["retry-after"]]).toEqual([503, "10"]);
  expect((await ask("own.example", "/api/health")).body).toContain("own web");
});

test("changes count from the next request, for sites and for hosts of none", async () => {
  await untilFollowed();
  await publish(join(folder.path, "sites/new/data"), "new");
  await ask("anna.example");
  await ask("new.example");
  routes.set("anna.example", route("anna", { status: "suspended" }));
  routes.set("new.example", route("new"));
  known.send({
    kind: "changed",
    sites: [
      { id: "anna", domains: ["anna.example"] },
      { id: "new", domains: ["new.example"] },
    ],
  });
  await eventually(async () => expect((await ask("anna.example")).status).toBe(503));
  expect((await ask("new.example")).body).toContain("<title>new");
});

test("abuse 216: hosts that somebody makes up displace no site, and each is looked up once", async () => {
  await untilFollowed();
  await ask("anna.example");
  for (let number = 0; number < 2100; number += 1)
    await ask(`h${number}.example`, "/", { connection: "close" });
  await ask("h2099.example");
  expect(lookups.filter((domain) => domain === "h2099.example")).toHaveLength(1);
  await ask("anna.example");
  expect(lookups.filter((domain) => domain === "anna.example")).toHaveLength(1);
}, 120_000);

test("abuse 218: while the process of sites is away, known sites are served, and others asked to wait", async () => {
  await untilFollowed();
  await ask("anna.example");
  known.close();
  known.server.closeAllConnections();
  await new Promise((closed) => void known.server.close(closed));
  expect((await ask("anna.example")).body).toContain("<title>anna");
  const { status, headers } = await ask("other.example");
  expect([status, headers["retry-after"]]).toEqual([503, "2"]);
  expect((await ask("own.example")).status).toBe(200);
});

test("abuse 216: only this machine is told which domains may have certificates, at a limited rate", async () => {
  const tls = (domain: string, headers = {}) =>
    ask("127.0.0.1", `/api/tls-allowed?domain=${encodeURIComponent(domain)}`, headers);
  for (const [domain, status] of [
    ["own.example", 200],
    ["anna.example", 200],
    ["www.ANNA.example.", 200],
    ["bob.example", 404],
    ["soon.example", 404],
    ["nobody.example", 404],
    ["127.0.0.1", 404],
    ["", 404],
  ] as const) {
    expect([domain, (await tls(domain)).status]).toEqual([domain, status]);
  }
  // A proxy that passes on a visitor's request.
  const forwarded = await tls("anna.example", { "x-forwarded-for": "203.0.113.1" });
  expect(forwarded.body).toContain("own web got /api/tls-allowed");
  // A further site has nothing there.
  await startWeb("anna's web", socketOf("anna"));
  const asked = await ask("anna.example", "/api/tls-allowed?domain=anna.example");
  expect(asked.body).toContain("anna's web got");
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, number) => (await tls(`n${number}.example`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([404, 429]));
  expect((await tls("anna.example")).status).toBe(200);
});
