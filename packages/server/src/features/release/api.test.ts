import { createHash } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { removeTree } from "../../platform/files.ts";
import { type AppServer, createHttpServer } from "../../platform/http/server.ts";
import { type Decorate, registerSite } from "./api.ts";
import { readRelease } from "./site/live-release.ts";
import { openSiteFiles } from "./site/site-files.ts";
import type { FindOwnContent } from "./site/own-content.ts";
import { storeArtifact } from "./artifact/artifact-store.ts";
import { pageKey, tagFileOf } from "./source-tags/tag-file.ts";
import { testWorkers } from "../../../../../test/support/workers.ts";

const reply: string[] = [];
const log = pino({ level: "warn" }, { write: (line) => void reply.push(line) });
const page = (text: string) =>
  `<!doctype html><html lang="en"><title>${text}</title><p>${`${text} and more. `.repeat(80)}</p><script>go()</script></html>`;
const large = Buffer.alloc(3 * 1024 * 1024, "0123456789abcdef");

let folder: TempFolder;
let app: AppServer;
let decorate: Decorate | undefined;
let findOwnContent: FindOwnContent | undefined;

async function publish(
  number: number,
  files: Record<string, string | Buffer>,
  list: { from: string; to: string }[] = [],
): Promise<void> {
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
    redirects: { baseUrl: "https://example.com", list },
  });
  const releases = join(folder.path, "releases");
  await mkdir(releases, { recursive: true });
  await cp(artifact.dir, join(releases, `${number}`), { recursive: true });
  await cp(`${artifact.dir}.json`, join(releases, `${number}.json`));
  await symlink(`releases/${number}`, join(folder.path, "next"));
  await rename(join(folder.path, "next"), join(folder.path, "current"));
}

const site = {
  "index.html": page("Home"),
  "about/index.html": page("About"),
  "404.html": page("No such page"),
  "_astro/style.abc123.css": "p{color:red}".repeat(100),
  "notes.txt": "0123456789",
  "picture.svg": "<svg xmlns='http://www.w3.org/2000/svg'></svg>",
  "video.mp4": large,
};

beforeEach(async () => {
  folder = await tempFolder();
  await mkdir(join(folder.path, "media/2026"), { recursive: true });
  await writeFile(join(folder.path, "media/2026/photo.webp"), "picture");
  decorate = undefined;
  findOwnContent = undefined;
  reply.length = 0;
  app = createHttpServer({ log, name: "test", secure: false });
  registerSite(app, {
    ...openSiteFiles({
      current: join(folder.path, "current"),
      releases: join(folder.path, "releases"),
    }),
    log,
    workers: testWorkers,
    decorate: async (request, own) => (await decorate?.(request, own)) ?? null,
    findOwnContent: async (request, path) => (await findOwnContent?.(request, path)) ?? null,
  });
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: "GET", url, headers });

describe("what is answered", () => {
  beforeEach(() => publish(1, site));

  test("pages, files and media come with their type, a strong validator and their caching", async () => {
    const home = await get("/");
    expect(home.statusCode).toBe(200);
    expect(home.body).toBe(page("Home"));
    expect(home.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=0, must-revalidate",
      vary: "Accept-Encoding",
    });
    expect(home.headers.etag).toMatch(/^"[0-9a-f]{32}"$/);
    for (const url of ["/_astro/style.abc123.css", "/media/2026/photo.webp"]) {
      expect((await get(url)).headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    }
  });

  test("a page without its slash moves there for good, with its query; index.html is its folder", async () => {
    const moved = await get("/about?a=1&b=%2F");
    expect([moved.statusCode, moved.headers.location]).toEqual([308, "/about/?a=1&b=%2F"]);
    expect((await get("/about/index.html")).headers.location).toBe("/about/");
    expect((await get("//about")).statusCode).toBe(404);
  });

  test("the best coding by weight is sent, with a validator of its own", async () => {
    const plain = await get("/");
    const br = await get("/", { "accept-encoding": "gzip, deflate, br" });
    expect(br.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(page("Home"));
    const gz = await get("/", { "accept-encoding": "br;q=0.1, gzip" });
    expect(gz.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gz.rawPayload).toString()).toBe(page("Home"));
    expect(new Set([plain, br, gz].map((response) => response.headers.etag)).size).toBe(3);
  });

  test("If-None-Match answers 304 without a body for the same coding, also weak and in a list", async () => {
    const { etag = "" } = (await get("/", { "accept-encoding": "br" })).headers;
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await get("/", { "accept-encoding": "br", "if-none-match": given });
      expect([response.statusCode, response.body]).toEqual([304, ""]);
      expect(response.headers).toMatchObject({ etag, vary: "Accept-Encoding" });
    }
    expect((await get("/", { "if-none-match": etag })).statusCode).toBe(200);
  });

  test("a single range is answered with 206 of the plain file; If-Range must match", async () => {
    const part = await get("/notes.txt", { range: "bytes=2-4", "accept-encoding": "br" });
    expect([part.statusCode, part.body]).toEqual([206, "234"]);
    expect(part.headers["content-range"]).toBe("bytes 2-4/10");
    const { etag = "" } = part.headers;
    expect((await get("/notes.txt", { range: "bytes=-3", "if-range": etag })).body).toBe("789");
    const changed = await get("/notes.txt", { range: "bytes=-3", "if-range": '"old"' });
    expect([changed.statusCode, changed.body]).toEqual([200, "0123456789"]);
    const beyond = await get("/notes.txt", { range: "bytes=50-" });
    expect([beyond.statusCode, beyond.headers["content-range"]]).toEqual([416, "bytes */10"]);
    expect((await get("/notes.txt", { range: "bytes=0-1,4-5" })).statusCode).toBe(200);
    expect((await get("/notes.txt", { range: "lines=1-2" })).statusCode).toBe(200);
    const middle = await get("/video.mp4", { range: "bytes=2000000-2000015" });
    expect(middle.body).toBe("0123456789abcdef");
  });

  test("what is missing is the site's own 404 page", async () => {
    const missing = await get("/nothing/here", { "accept-encoding": "gzip" });
    expect(missing.statusCode).toBe(404);
    expect(gunzipSync(missing.rawPayload).toString()).toBe(page("No such page"));
    expect(missing.headers.etag).toBeUndefined();
    expect((await get("/404.html")).statusCode).toBe(404);
  });

  test("reserved prefixes are no part of the site", async () => {
    for (const url of ["/api/none", "/admin/none", "/devconsole", "/_preview/x/", "/%61pi/x"]) {
      const response = await get(url);
      expect([url, response.statusCode, response.json().error.code]).toEqual([
        url,
        404,
        "not_found",
      ]);
    }
    expect((await get("/apis")).headers["content-type"]).toContain("text/html");
  });

  test("another method is 405 and says which ones there are", async () => {
    const response = await app.inject({ method: "POST", url: "/about/", payload: {} });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe("GET, HEAD");
  });

  test("abuse 112: dotfiles, source maps, compressed siblings and climbing paths are 404", async () => {
    const urls = ["/.git/config", "/.env", "/.git", "/_astro/style.abc123.css.map"];
    urls.push("/index.html.br", "/_astro/style.abc123.css.gz", "/..%2f1.json", "/%2e%2e/1.json");
    urls.push("/..%5c1.json", "/about/..%2findex.html", "/%00", "/about%00/", "/__proto__");
    urls.push("/constructor", "//etc/passwd", "/.well-known/none");
    for (const url of urls) expect([url, (await get(url)).statusCode]).toEqual([url, 404]);
  });

  test("abuse 111: every answer is nosniff, framed by the site alone and under a policy", async () => {
    for (const url of ["/", "/nothing", "/picture.svg", "/about", "/notes.txt"]) {
      const { headers } = await get(url);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
      expect(headers["content-security-policy"]).toMatch(/frame-ancestors '(self|none)'/);
    }
    const policy = (await get("/")).headers["content-security-policy"] as string;
    expect(policy).toMatch(/script-src 'self' 'sha256-[A-Za-z0-9+/]{43}=';/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });

  test("a release that becomes current is live for the very next request", async () => {
    const { etag } = (await get("/")).headers;
    await publish(2, { ...site, "index.html": page("New") });
    const next = await get("/", { "if-none-match": etag ?? "" });
    expect([next.statusCode, next.body]).toEqual([200, page("New")]);
    await removeTree(join(folder.path, "releases/1"));
    expect((await get("/about/")).body).toBe(page("About"));
  });
});

describe("pages of a signed-in admin", () => {
  beforeEach(async () => {
    await publish(1, site);
    decorate = async (request, own) =>
      request.headers.cookie?.includes("admin")
        ? (await own()).replace("</html>", "<!--console--></html>")
        : null;
  });

  test("are private, have no validator and are compressed on the way", async () => {
    const { etag = "", "content-security-policy": policy } = (await get("/")).headers;
    const response = await get("/", {
      cookie: "admin=1",
      "if-none-match": etag,
      "accept-encoding": "br",
    });
    expect(response.statusCode).toBe(200);
    expect(brotliDecompressSync(response.rawPayload).toString()).toContain("<!--console-->");
    expect(response.headers).toMatchObject({
      "cache-control": "private, no-store",
      vary: "Cookie, Accept-Encoding",
    });
    expect(response.headers.etag).toBeUndefined();
    expect(policy).toContain("script-src 'self'");
    expect(response.headers["content-security-policy"]).toBe(policy);
    expect((await get("/nothing", { cookie: "admin=1" })).body).toContain("<!--console-->");
  });

  test("are nobody else's: without a cookie, with another one, and for what is no page", async () => {
    const calls = vi.fn<Decorate>(async () => null);
    const inner = decorate;
    decorate = async (request, own) => {
      await calls(request, own);
      return (await inner?.(request, own)) ?? null;
    };
    expect((await get("/")).body).toBe(page("Home"));
    expect(calls).not.toHaveBeenCalled();
    const other = await get("/", { cookie: "theme=dark" });
    expect(other.body).toBe(page("Home"));
    expect(other.headers["cache-control"]).toContain("public");
    expect((await get("/notes.txt", { cookie: "admin=1" })).body).toBe("0123456789");
    expect(calls).toHaveBeenCalledTimes(1);
  });

  test("say where their elements come from, and nobody else's do", async () => {
    const html = page("Home");
    const at = html.indexOf("<p") + 2;
    const key = pageKey(createHash("sha256").update(html).digest("hex"));
    const file = "app/src/pages/index.astro";
    const tags = `${JSON.stringify({ files: [file], tags: [0, 3, 1] })}\n${key} ${at},0\n`;
    await writeFile(tagFileOf(join(folder.path, "releases/1")), tags);
    const own = (await get("/", { cookie: "admin=1" })).body;
    expect(own).toContain(`<p data-source="${file}:3:1"`);
    expect((await get("/about/", { cookie: "admin=1" })).body).not.toContain("data-source");
    const headers = { cookie: "admin=1" };
    const head = await app.inject({ method: "HEAD", url: "/", headers });
    expect([head.body, head.headers["content-length"]]).toEqual(["", String(own.length)]);
    for (const other of [{}, { cookie: "theme=dark" }, { authorization: "Bearer admin" }]) {
      const response = await get("/", other);
      expect(response.body).toBe(html);
      const etag = response.headers.etag ?? "";
      expect((await get("/", { ...other, "if-none-match": etag })).statusCode).toBe(304);
    }
    for (const url of ["/1.tags", "/../1.tags", "/.source-tags", "/%2e%2e/1.tags"]) {
      expect((await get(url)).body).not.toContain("app/src");
    }
  });
});

test("before the first release the answer is 503 in plain words", async () => {
  const response = await get("/");
  expect(response.statusCode).toBe(503);
  expect(response.headers["retry-after"]).toBe("5");
  expect(response.body).toContain("being prepared");
  await publish(1, site);
  expect((await get("/")).statusCode).toBe(200);
});

describe("on a real socket", () => {
  let port: number;

  beforeEach(async () => {
    await publish(1, site);
    await app.listen({ host: "127.0.0.1", port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });

  const raw = (method: string, path: string, headers: Record<string, string> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number;
      headers: NodeJS.Dict<string | string[]>;
      body: Buffer;
    }>();
    const request = httpRequest({ port, host: "127.0.0.1", method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.on("error", reject);
    request.end();
    return promise;
  };

  test("HEAD has the headers of GET and no body, for pages, large files and what is missing", async () => {
    for (const path of ["/", "/video.mp4", "/nothing", "/about"]) {
      const [head, full] = [await raw("HEAD", path), await raw("GET", path)];
      expect([path, head.status, head.body.length]).toEqual([path, full.status, 0]);
      for (const name of ["content-length", "content-type", "etag", "content-security-policy"]) {
        expect([path, name, head.headers[name]]).toEqual([path, name, full.headers[name]]);
      }
    }
  });

  test("a large file and a part of it arrive whole", async () => {
    expect((await raw("GET", "/video.mp4")).body.equals(large)).toBe(true);
    const part = await raw("GET", "/video.mp4", { range: "bytes=1000000-" });
    expect(part.body.equals(large.subarray(1_000_000))).toBe(true);
  });

  test("a visitor who leaves in the middle leaves no open file", async () => {
    const openFiles = () =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith("/video.mp4");
        } catch {
          return false;
        }
      }).length;
    const leave = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const request = httpRequest({ port, host: "127.0.0.1", path: "/video.mp4" }, (response) => {
        response.once("data", () => {
          response.destroy();
          resolve();
        });
      });
      request.end();
      return promise;
    };
    await Promise.all(Array.from({ length: 20 }, leave));
    await eventually(() => expect(openFiles()).toBe(0));
  });
});

describe("a page that has moved", () => {
  const redirects = [
    { from: "/projects/old/", to: "/projects/new/" },
    { from: "/about/", to: "/projects/new/" },
  ];
  beforeEach(() => publish(1, { ...site, "projects/new/index.html": page("New") }, redirects));

  test.each(["/projects/old/", "/projects/old", "/projects/old/index.html", "/projects/%6fld/"])(
    "is found from %s, with the query",
    async (address) => {
      const response = await get(`${address}?a=1&b=%2F?c`);
      expect(response.statusCode).toBe(301);
      expect(response.headers.location).toBe("/projects/new/?a=1&b=%2F?c");
      expect(response.headers["cache-control"]).toBe("public, max-age=0");
      const head = await app.inject({ method: "HEAD", url: address });
      expect([head.statusCode, head.headers.location]).toEqual([301, "/projects/new/"]);
    },
  );

  test("is not looked for where a page is", async () => {
    expect((await get("/about/")).body).toBe(page("About"));
    expect((await get("/about")).headers.location).toBe("/about/");
  });

  test("gives its old address back to a page that takes it", async () => {
    await publish(2, { ...site, "projects/old/index.html": page("Another") }, redirects);
    expect((await get("/projects/old/")).body).toBe(page("Another"));
    expect((await get("/projects/old")).statusCode).toBe(308);
  });

  test("is nothing to another method, and no page is one by its name alone", async () => {
    expect((await app.inject({ method: "POST", url: "/projects/old/" })).statusCode).toBe(405);
    for (const url of ["/__proto__/", "/constructor", "/projects/older/"]) {
      expect((await get(url)).statusCode).toBe(404);
    }
  });
});

test("what is a visitor's own is sent once, privately, and to nobody without a cookie", async () => {
  await publish(1, site);
  const { files } = await readRelease(join(folder.path, "releases/1"));
  const file = files.get("/notes.txt");
  if (file === undefined) throw new Error("the release has no notes");
  findOwnContent = async (_request, path) => (path === "/own/" ? { file } : null);
  const own = await get("/own/", { cookie: "a=b" });
  expect([own.statusCode, own.body]).toEqual([200, "0123456789"]);
  expect(own.headers["cache-control"]).toBe("private, no-store");
  expect((await get("/own/")).statusCode).toBe(404);
  expect((await get("/other/", { cookie: "a=b" })).statusCode).toBe(404);
  expect(reply).toEqual([]);
});
