import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  type HttpSiteResponse,
  serveResponses,
  serveFiles,
} from "../../../../test/support/http-site.ts";
import { sha256Hex } from "../kit/hash.ts";
import { defaultQaLimits } from "../limits.ts";
import { makeFetcher } from "../crawl/fetcher.ts";
import { readSeeds } from "./seeds.ts";

const xml = (body: string | Buffer): HttpSiteResponse => ({ type: "application/xml", body });
const text = (body: string): HttpSiteResponse => ({ type: "text/plain", body });
const urls = (...paths: string[]) =>
  `<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${paths
    .map((path) => `<url><loc>ORIGIN${path}</loc></url>`)
    .join("\n")}\n</urlset>`;

async function seedsOf(files: Record<string, HttpSiteResponse>) {
  await using site = await serveFiles(files);
  const seeds = await readSeeds(site.fetcher, `${site.origin}/`);
  const short = (url: string) => url.replace(site.origin, "");
  return {
    ...seeds,
    urls: seeds.urls.map(short),
    short,
    asked: site.requests.map(({ url }) => url),
  };
}

test("robots.txt names the sitemaps, an index its parts, and parts may be compressed", async () => {
  const index = `<sitemapindex><sitemap><loc>ORIGIN/a.xml</loc></sitemap><sitemap><loc> ORIGIN/b.xml.gz </loc></sitemap></sitemapindex>`;
  await using site = await serveFiles({
    "/robots.txt": text("User-agent: *\nDisallow: /admin\nSitemap: ORIGIN/map.xml"),
    "/map.xml": xml(index),
    "/a.xml": xml(urls("/", "/about/", "/about/#team")),
    "/b.xml.gz": {
      type: "application/gzip",
      body: gzipSync(`<urlset><url><loc>https://other.example/x</loc></url></urlset>`),
    },
  });
  const seeds = await readSeeds(site.fetcher, `${site.origin}/start/`);
  expect(seeds.urls).toEqual([`${site.origin}/`, `${site.origin}/about/`]);
  expect(
    seeds.entries.map(({ line, sitemap }) => [line, sitemap.slice(site.origin.length)]),
  ).toEqual([
    [3, "/a.xml"],
    [4, "/a.xml"],
    [5, "/a.xml"],
    [1, "/b.xml.gz"],
  ]);
  expect(seeds.complete).toBe(true);
  expect(seeds.sitemaps.map(({ kind, from, count }) => [kind, from, count])).toEqual([
    ["index", "robots", 2],
    ["urls", { index: `${site.origin}/map.xml` }, 3],
    ["urls", { index: `${site.origin}/map.xml` }, 1],
  ]);
  expect(seeds.robots.isAllowed(`${site.origin}/admin/x`)).toBe(false);
  expect(seeds.robots.isAllowed(`${site.origin}/about/`)).toBe(true);
  expect(seeds.robots.lineFor(`${site.origin}/admin/x`)).toEqual({
    line: 2,
    text: "Disallow: /admin",
  });
  expect(seeds.robots.lineFor(`${site.origin}/about/`)).toBeNull();
});

test("a site that redirects to a name with www. has its sitemaps there", async () => {
  await using site = await serveResponses(({ url, headers }) => {
    const { host = "" } = headers;
    const at = `http://www.${host}`;
    if (!host.startsWith("www.")) return { status: 301, headers: { location: at + url } };
    const own = `http://${host}`;
    if (url === "/robots.txt") return text(`Disallow: /x\nSitemap: ${own}/map.xml`);
    return url === "/map.xml" ? xml(urls("/about/").replaceAll("ORIGIN", own)) : undefined;
  });
  const { port } = new URL(site.origin);
  const { signal } = new AbortController();
  const fetcher = makeFetcher({
    origin: `http://site.test:${port}`,
    connect: null,
    limits: defaultQaLimits,
    signal,
    allow: () => true,
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  const seeds = await readSeeds(fetcher, `http://site.test:${port}/`);
  await fetcher.close();
  expect(seeds.urls).toEqual([`http://www.site.test:${port}/about/`]);
  expect(seeds.complete).toBe(true);
  expect(seeds.robots.isAllowed(`http://www.site.test:${port}/about/`)).toBe(true);
});

test("without robots.txt, the usual addresses are tried; an error page isn't a sitemap", async () => {
  const found = await seedsOf({
    "/sitemap.xml": "<!doctype html><p>Sorry</p>",
    "/sitemap-index.xml": { status: 404, body: "<p>no" },
    "/sitemap_index.xml": xml(urls("/x/")),
  });
  expect(found.urls).toEqual(["/x/"]);
  expect(found.robots.text).toBeNull();
  expect(found.sitemaps.map(({ kind, error }) => [kind, error])).toEqual([
    [null, null],
    [null, null],
    ["urls", null],
  ]);
  expect(found.complete).toBe(true);
});

test("a site without sitemaps has none", async () => {
  const found = await seedsOf({});
  expect(found.urls).toEqual([]);
  expect(found.asked).toEqual([
    "/robots.txt",
    "/sitemap.xml",
    "/sitemap-index.xml",
    "/sitemap_index.xml",
  ]);
});

test.each([
  [
    "a tag that does not fit",
    `<urlset>\n<url><loc>ORIGIN/a</loc></url>\n  <url></loc></urlset>`,
    3,
  ],
  ["a stray ampersand", `<urlset>\n<url><loc>ORIGIN/a?b=1&c=2</loc></url></urlset>`, 2],
  [
    "an entity of its own",
    `<!DOCTYPE x [<!ENTITY a "b">]>\n<urlset>\n<url><loc>&a;</loc></url></urlset>`,
    3,
  ],
  ["no end", `<urlset>\n<url><loc>ORIGIN/a</loc></url>`, 2],
  ["another root", `<page/>`, 1],
  ["nothing", ``, 1],
])("a sitemap with %s is reported with the place of the error", async (_what, body, line) => {
  const found = await seedsOf({
    "/robots.txt": text("Sitemap: ORIGIN/map.xml"),
    "/map.xml": xml(body),
  });
  expect(found.sitemaps[0]?.error).toMatchObject({ line, column: expect.any(Number) });
  expect(found.sitemaps[0]?.error?.column).toBeGreaterThan(0);
  expect(found.complete).toBe(false);
});

test("entries before the place where a sitemap breaks off count", async () => {
  const found = await seedsOf({
    "/robots.txt": text("Sitemap: ORIGIN/map.xml"),
    "/map.xml": xml(`<urlset><url><loc>ORIGIN/a</loc></url><url></urlset>`),
  });
  expect(found.urls).toEqual(["/a"]);
});

test("abuse 93: a sitemap that decompresses to more than 50 MB is cut off, and 50,000 addresses are kept", async () => {
  const many = Array.from({ length: 50_001 }, (_, i) => `<url><loc>ORIGIN/${i}</loc></url>`);
  const found = await seedsOf({
    "/robots.txt": text("Sitemap: ORIGIN/map.xml\nSitemap: ORIGIN/bomb.xml.gz"),
    "/map.xml": xml(`<urlset>${many.join("\n")}</urlset>`),
    "/bomb.xml.gz": {
      type: "application/gzip",
      body: gzipSync(Buffer.alloc(60 * 1024 * 1024, 32)),
    },
  });
  expect(found.sitemaps.map(({ count, cut, error }) => [count, cut, error])).toEqual([
    [50_001, false, null],
    [0, true, null],
  ]);
  expect(found.urls.length).toBe(50_000);
  expect(found.complete).toBe(false);
});

test("a part that isn't compressed as declared, or is on another host, makes the list incomplete", async () => {
  const found = await seedsOf({
    "/robots.txt": text("Sitemap: ORIGIN/map.xml"),
    "/map.xml": xml(
      `<sitemapindex><sitemap><loc>https://other.example/a.xml</loc></sitemap><sitemap><loc>ORIGIN/b.gz</loc></sitemap></sitemapindex>`,
    ),
    "/b.gz": { body: Buffer.from([0x1f, 0x8b, 1, 2, 3]) },
  });
  expect(found.sitemaps[1]?.error?.message).toContain("can't be unpacked");
  expect(found.complete).toBe(false);
  expect(found.asked).not.toContain("/a.xml");
});

test("a large compressed file is read to its end", async () => {
  const paths = Array.from({ length: 20_000 }, (_, i) => `/${sha256Hex(String(i))}/`);
  const body = gzipSync(urls(...paths).replaceAll("ORIGIN", "https://other.example"));
  expect(body.length).toBeGreaterThan(300_000);
  const found = await seedsOf({
    "/robots.txt": text("Sitemap: ORIGIN/map.xml.gz"),
    "/map.xml.gz": { type: "application/gzip", body },
  });
  expect(found.sitemaps).toMatchObject([{ count: 20_000, cut: false, error: null }]);
  expect(found.complete).toBe(true);
});

test("a text file lists addresses, too", async () => {
  const found = await seedsOf({
    "/robots.txt": text("Sitemap: ORIGIN/map.txt"),
    "/map.txt": text("ORIGIN/a\r\n\r\nORIGIN/b\n"),
  });
  expect(found.urls).toEqual(["/a", "/b"]);
});
