import { once } from "node:events";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storeArtifact } from "../../packages/server/src/features/release/artifact/artifact-store.ts";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { writeNginxRelease } from "../../packages/server/src/features/release/nginx-release.ts";
import { dismissBody } from "../../packages/server/src/features/setup/schema.ts";
import { openSiteFiles } from "../../packages/server/src/features/release/site/site-files.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import {
  nginxHasBrotli,
  nginxReleaseFile,
  type ReverseProxy,
  startCaddy,
  startNginx,
} from "../support/reverse-proxies.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { testWorkers } from "../support/workers.ts";

const log = createLog({ level: "silent", name: "test" });
const page = (title: string, script: string) =>
  `<!doctype html><html lang="en"><title>${title}</title>${"<p>words</p>".repeat(200)}<script>${script}</script></html>`;

let folder: TempFolder;
let app: AppServer;
let port: number;
let nginx: ReverseProxy;
let caddy: ReverseProxy;

/** What has got through to what stands for the runner. */
const reached: string[] = [];

const paths = () => instancePaths(folder.path);

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
    redirects: { baseUrl: "https://site.example", list: [{ from: "/old/", to: "/about/" }] },
  });
  const { releases, current } = paths();
  await mkdir(releases, { recursive: true });
  await cp(artifact.dir, join(releases, `${number}`), { recursive: true });
  await cp(`${artifact.dir}.json`, join(releases, `${number}.json`));
  await symlink(`releases/${number}`, `${current}-next`);
  await rename(`${current}-next`, current);
}

const site = {
  "index.html": page("Home", "theme()"),
  "about/index.html": page("About", "theme()"),
  "search/index.html": page("Search", "search()"),
  'quoted "page"; { $uri }/index.html': page("Quoted", "quoted()"),
  "404.html": page("No such page", "theme()"),
  "notes.txt": "0123456789",
  "_astro/style.abc123.css": "p{color:red}".repeat(100),
  "_astro/app.abc123.js": "go();".repeat(300),
  "_astro/letter.abc123.woff2": "letters",
  "_astro/sign.abc123.svg": `<svg xmlns="http://www.w3.org/2000/svg">${"<g/>".repeat(400)}</svg>`,
  "_astro/paper.abc123.pdf": "%PDF-",
  "_astro/odd.abc123.bin": "bytes",
};

beforeAll(async () => {
  folder = await tempFolder();
  await mkdir(join(folder.path, "media/2026"), { recursive: true });
  await writeFile(join(folder.path, "media/2026/photo.webp"), "picture");
  await writeFile(join(folder.path, "media/2026/film.mp4"), Buffer.alloc(300_000, "0123456789"));
  await mkdir(paths().data, { recursive: true });
  await publish(1, site);
  app = createHttpServer({ log, name: "test", secure: true, trustProxy: ["127.0.0.1"] });
  app.get("/api/echo", async ({ headers, ip }) => ({ host: headers.host, ip }));
  app.get("/api/adminauth/check", async ({ headers }, reply) =>
    reply.code(headers.cookie?.includes("__Host-vitrine_admin=yes") ? 204 : 401).send(),
  );
  const note = ({ method, url }: { method: string; url: string }) => {
    reached.push(`${method} ${url}`);
  };
  for (const url of ["/devconsole/*", "/_preview/*"]) {
    app.get(url, async (request) => note(request) ?? "");
  }
  const schema = { body: dismissBody };
  app.post("/devconsole/edit", { schema }, async (request) => {
    note(request);
    return { body: request.body };
  });
  registerSite(app, {
    ...openSiteFiles(paths()),
    log,
    workers: testWorkers,
    decorate: async ({ headers }) =>
      headers.cookie?.includes("__Host-vitrine_admin=yes") ? "the console" : null,
    findOwnContent: async ({ headers }, path) =>
      headers.cookie === "member=yes" && /own/.test(path) ? { to: "/elsewhere/" } : null,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = app.server.address() as AddressInfo);
  const certificate = makeAuthority().selfSigned("site.example");
  const options = { data: paths().data, upstream: port, certificate, tls: true };
  const dir = join(folder.path, "nginx");
  await mkdir(dir);
  await writeNginxRelease(paths(), nginxReleaseFile({ dir }));
  nginx = await startNginx({ ...options, dir });
  caddy = await startCaddy({ ...options, dir: join(folder.path, "caddy") });
}, 60_000);
afterAll(async () => {
  await nginx?.[Symbol.asyncDispose]();
  await caddy?.[Symbol.asyncDispose]();
  await app?.close();
  await folder?.remove();
});

interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * What belongs to the server and the connection, or names one response. Each server has ETags of its own;
 * nginx doesn't offer parts of precompressed files.
 */
const volatile = new Set(
  "date server connection keep-alive transfer-encoding x-request-id etag accept-ranges alt-svc".split(
    " ",
  ),
);

async function ask(to: number, { method = "GET", path, headers = {}, body }: Asked) {
  const place = { host: "127.0.0.1", port: to, method, path, agent: false };
  const options = { ...place, headers: { host: `site.example:${to}`, ...headers } };
  const tls = { servername: "site.example", rejectUnauthorized: false };
  const call = to === port ? http.request(options) : https.request({ ...options, ...tls });
  call.end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  const fields = Object.entries(answer.headers).filter(([name]) => !volatile.has(name));
  return {
    status: answer.statusCode,
    fields: Object.fromEntries(fields.toSorted()),
    etag: answer.headers.etag,
    hasId: answer.headers["x-request-id"] !== undefined,
    body: (await buffer(answer)).toString("latin1"),
  };
}

/** Each server has ETags of its own. */
function alike({ etag, ...answer }: Awaited<ReturnType<typeof ask>>) {
  return { ...answer, hasEtag: etag !== undefined };
}

const encodings = nginxHasBrotli ? ["", "gzip", "gzip, deflate, br"] : ["", "gzip"];
const addresses = [
  "/",
  "/?a=1",
  "/about/",
  "/about",
  "/about/index.html",
  "/search/",
  encodeURI('/quoted "page"; { $uri }/'),
  "/old/",
  "/old?q=1",
  "/nothing/",
  "/own/",
  "/404.html",
  "/notes.txt",
  "/_astro/style.abc123.css",
  "/_astro/style.abc123.css.br",
  "/_astro/style.abc123.css.gz",
  "/_astro/app.abc123.js",
  "/_astro/letter.abc123.woff2",
  "/_astro/sign.abc123.svg",
  "/_astro/paper.abc123.pdf",
  "/_astro/odd.abc123.bin",
  "/_astro/",
  "/_astro/own.abc123.css",
  "/media/2026/photo.webp",
  "/media/2026/film.mp4",
  "/media/2026/",
  "/index.html.br",
  "//about/",
  "/./about/",
  "/x/../about/",
  "/%61bout/",
  "/_astro/../about/",
  "/.personal/",
  "/api/nothing",
  "/x/../api/nothing",
];

describe.each(["nginx", "caddy"] as const)("behind %s", (name) => {
  const proxy = () => (name === "nginx" ? nginx : caddy);

  test("every address has the status, the headers, and the bytes that Vitrine gives it", async () => {
    const cookies = ["", "theme=dark", "member=yes", "__Host-vitrine_admin=yes"];
    for (const path of addresses) {
      for (const cookie of cookies) {
        for (const encoding of cookie === "" ? encodings : ["gzip"]) {
          const headers = { ...(cookie && { cookie }), "accept-encoding": encoding };
          for (const method of ["GET", "HEAD"]) {
            const asked = { method, path, headers };
            const [expected, got] = [await ask(port, asked), await ask(proxy().port, asked)];
            expect({ asked, ...alike(got) }).toEqual({ asked, ...alike(expected) });
          }
        }
      }
    }
  }, 60_000);

  test("a part of a film, an unchanged file, and a changing method", async () => {
    const part = { path: "/media/2026/film.mp4", headers: { range: "bytes=5-14" } };
    expect(await ask(proxy().port, part)).toMatchObject({ status: 206, body: "5678901234" });
    for (const path of ["/", "/_astro/style.abc123.css"]) {
      const { etag } = await ask(proxy().port, { path });
      const again = await ask(proxy().port, { path, headers: { "if-none-match": etag ?? "" } });
      expect([path, again.status]).toEqual([path, 304]);
    }
    const post = { method: "POST", path: "/about/" };
    expect(await ask(proxy().port, post)).toEqual(await ask(port, post));
  });

  test("only the signed-in owner gets through to the runner, and a preview's files with their ticket", async () => {
    const cookie = "__Host-vitrine_admin=yes";
    const json = { "content-type": "application/json" };
    for (const path of [
      "/devconsole/runs",
      "/devconsole/",
      "/_preview/r1/",
      "/_preview/r1/a.css",
    ]) {
      reached.length = 0;
      const refused = await ask(proxy().port, { path, headers: { cookie: "theme=dark" } });
      expect([path, refused.status, JSON.parse(refused.body).error.code]).toEqual([
        path,
        401,
        "unauthenticated",
      ]);
      expect(reached).toEqual([]);
      const admitted = await ask(proxy().port, { path, headers: { cookie } });
      expect([path, admitted.status, reached]).toEqual([path, 200, [`GET ${path}`]]);
    }
    const body = JSON.stringify({ isDismissed: true });
    const post = { method: "POST", path: "/devconsole/edit", body };
    const sent = await ask(proxy().port, { ...post, headers: { ...json, cookie } });
    expect(JSON.parse(sent.body)).toEqual({ body: { isDismissed: true } });
    expect((await ask(proxy().port, { ...post, headers: json })).status).toBe(401);
    reached.length = 0;
    await ask(proxy().port, { path: "/_preview/r1/~abc.def/_astro/a.css" });
    expect(reached).toEqual(["GET /_preview/r1/~abc.def/_astro/a.css"]);
  });

  test("the client's address is the one that the proxy has seen", async () => {
    const headers = { "x-forwarded-for": "203.0.113.7" };
    const { body } = await ask(proxy().port, { path: "/api/echo", headers });
    expect(JSON.parse(body)).toMatchObject({ ip: "127.0.0.1" });
  });
});

test("nginx goes on with a release until it is told of the next one, then serves that alone", async () => {
  const file = nginxReleaseFile({ dir: join(folder.path, "nginx") });
  expect(await writeNginxRelease(paths(), file)).toMatchObject({ release: 1, isChanged: false });
  await publish(2, { ...site, "index.html": page("New", "fresh()") });
  const before = await ask(nginx.port, { path: "/" });
  expect(before.body).toBe(site["index.html"]);
  expect(await writeNginxRelease(paths(), file)).toMatchObject({ release: 2, isChanged: true });
  nginx.reload();
  const expected = await ask(port, { path: "/" });
  expect(expected.body).toBe(page("New", "fresh()"));
  const asked = async (to: number) => alike(await ask(to, { path: "/" }));
  await eventually(async () => expect(await asked(nginx.port)).toEqual(alike(expected)));
  // Caddy asks for each request.
  expect(await asked(caddy.port)).toEqual(alike(expected));
  // A release that has been removed: Vitrine answers.
  await rm(join(paths().releases, "2"), { recursive: true });
  await publish(3, site);
  expect((await ask(nginx.port, { path: "/" })).body).toBe(site["index.html"]);
});
