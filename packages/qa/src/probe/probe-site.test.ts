import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import {
  type HttpSiteResponse,
  type HttpSiteRequest,
  type HttpSite,
  serveResponses,
} from "../../../../test/support/http-site.ts";
import { crawlOf } from "../../../../test/support/crawl-fixture.ts";
import { toFinding } from "../check.ts";
import type { Finding } from "../finding.ts";
import type { ResponseFixture } from "../checks/fixture.ts";
import { loadChecks } from "../checks/load.ts";
import type { EngineJob } from "../engine/job.ts";
import { probeSite } from "./probe-site.ts";
import type { Probes } from "./probes.ts";
import { readSeeds } from "./seeds.ts";
import { probeTls } from "./tls.ts";

const now = "2026-11-21T12:00:00.000Z";
const mine = /^(?:form|health|sitemap|robots|feed|sec\.exposed-file|page\.notfound)/;
const checks = (await loadChecks("site")).filter(({ id }) => mine.test(id));
const own = { version: "1", previews: ["/_preview/01KAJ3Z5T0ABCDEFGHJKMNPQRS/"] };

const json = (value: unknown, status = 200): HttpSiteResponse => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});
const healthy = {
  ok: true,
  data: {
    status: "ok",
    version: "1",
    uptime: 9,
    checks: { database: { status: "ok", note: "sqlite" }, migrations: { status: "ok" } },
  },
  error: null,
};
const shut = json(
  { ok: false, data: null, error: { code: "unauthenticated", message: "No." } },
  401,
);
const home = `<!doctype html><html lang="en"><link rel="alternate" type="application/rss+xml" href="/rss.xml"><title>Home</title><h1>Home</h1><a href="/about/">About</a></html>`;
const about = `<!doctype html><html lang="en"><title>About</title><h1>About</h1></html>`;
const lost = `<!doctype html><title>Not found</title><h1>Nothing is here</h1><a href="/">Home</a>`;
const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One</title><link>ORIGIN/about/</link></item></channel></rss>`;

/** A site of this program without any fault. */
const good: Readonly<Record<string, HttpSiteResponse>> = {
  "/": home,
  "/about/": about,
  "/robots.txt": { type: "text/plain", body: "User-agent: *\nSitemap: ORIGIN/sitemap.xml\n" },
  "/sitemap.xml": {
    type: "application/xml",
    body: "<urlset><url><loc>ORIGIN/</loc></url><url><loc>ORIGIN/about/</loc></url></urlset>",
  },
  "/rss.xml": { type: "application/rss+xml", body: rss },
  "/api/health": json(healthy),
};

type ProtectedPaths = Readonly<Record<string, HttpSiteResponse>>;

function answerOf(paths: ProtectedPaths, { url }: HttpSiteRequest): HttpSiteResponse {
  const path = url.split("?")[0] ?? "";
  if (Object.hasOwn(paths, path)) return paths[path] as HttpSiteResponse;
  if (/^\/(?:devconsole|_preview|api\/admin)/.test(path)) return shut;
  return paths["*"] ?? { status: 404, body: lost };
}

interface Tried {
  reported: string[];
  found: Finding[];
  probes: Probes;
  site: HttpSite;
}

async function probePaths(
  changes: ProtectedPaths = {},
  options: {
    own?: EngineJob["own"];
    unchanged?: boolean;
    pages?: Record<string, ResponseFixture>;
  } = {},
): Promise<Tried> {
  const paths = { ...good, ...changes };
  await using site = await serveResponses((request) => answerOf(paths, request));
  const pages = options.pages ?? { "/": home, "/about/": about };
  const crawl = crawlOf({ origin: site.origin, responses: pages });
  const seeds = await readSeeds(site.fetcher, crawl.start);
  const probes = await probeSite({
    fetcher: site.fetcher,
    seeds,
    crawl,
    unchanged: options.unchanged ?? false,
    own: options.own === undefined ? own : options.own,
    watch: { signal: new AbortController().signal, countMessages: async () => 0 },
    now,
  });
  const found = checks.flatMap((check) =>
    [...check.run(crawl, probes)].map((seen) => toFinding(check, seen.page, seen)),
  );
  return { reported: found.map(({ check }) => check).toSorted(), found, probes, site };
}

test("a site without defects has no findings, and was only read", async () => {
  const { reported: said, probes, site } = await probePaths();
  expect(said).toEqual([]);
  expect(probes.skippedChecks).toEqual([]);
  expect(probes.health?.times).toHaveLength(7);
  expect(probes.feeds).toMatchObject([{ format: "rss", items: 1, broken: [] }]);
  expect(new Set(site.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(site.requests.every(({ headers }) => headers.cookie === undefined)).toBe(true);
});

const envelopeDown = { ...healthy, data: { ...healthy.data, status: "down" } };
const downBy = (name: string) =>
  json(
    {
      ...envelopeDown,
      data: { ...envelopeDown.data, checks: { [name]: { status: "down", note: "fails" } } },
    },
    503,
  );
const feedWith = (body: string) => ({ "/rss.xml": { type: "application/rss+xml", body } });

const faults: [string, ProtectedPaths, string[]][] = [
  ["says it is down", { "/api/health": downBy("database") }, ["health.api"]],
  [
    "lacks migrations",
    { "/api/health": downBy("migrations") },
    ["health.api", "health.migrations"],
  ],
  ["does not know of its health", { "/api/health": "<p>Hello" }, ["health.api"]],
  [
    "opens a door",
    { "/devconsole/runs": json({ ok: true, data: {}, error: null }) },
    ["health.admin-gate"],
  ],
  ["opens a way around", { "/DEVCONSOLE/ping": json({ pong: true }) }, ["health.admin-gate"]],
  ["shows a preview", { [own.previews[0] as string]: about }, ["health.preview-leak"]],
  [
    "shows its repository",
    { "/.git/HEAD": { type: "text/plain", body: "ref: refs/heads/main\n" } },
    ["sec.exposed-file"],
  ],
  [
    "shows its settings",
    { "/.env": { type: "text/plain", body: "DATABASE_URL=x\nKEY='y'\n" } },
    ["sec.exposed-file"],
  ],
  [
    "shows its configuration",
    { "/vitrine.json": json({ baseUrl: "https://x.example" }) },
    ["sec.exposed-file"],
  ],
  [
    "shows its database",
    {
      "/data/vitrine.db": {
        type: "application/octet-stream",
        body: Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(100_000)]),
      },
    },
    ["sec.exposed-file"],
  ],
  [
    "shows a backup",
    {
      "/backup.zip": { type: "application/zip", body: Buffer.from("PK\u0003\u0004abc", "latin1") },
    },
    ["sec.exposed-file"],
  ],
  [
    "shows a private key",
    { "/id_rsa": { type: "text/plain", body: "-----BEGIN OPENSSH PRIVATE KEY-----\nabc" } },
    ["sec.exposed-file"],
  ],
  [
    "has no page for what is missing",
    { "*": { status: 404, body: "" } },
    ["page.notfound-quality"],
  ],
  [
    "leads home from everywhere",
    { "*": { status: 302, headers: { location: "/" } } },
    ["page.notfound-redirects-home"],
  ],
  ["has a feed that breaks off", feedWith("<rss><channel><title>x</title><item>"), ["feed.broken"]],
  ["has a feed that is a page", feedWith(home), ["feed.broken"]],
  ["has a feed without a title", feedWith("<rss><channel></channel></rss>"), ["feed.broken"]],
  ["has a feed of what is gone", feedWith(rss.replace("/about/", "/gone/")), ["feed.broken"]],
  ["has no feed where it says", { "/rss.xml": { status: 404 } }, ["feed.broken"]],
];

test.each(faults)("a site that %s is reported for exactly that", async (_, paths, expected) => {
  const { reported: said } = await probePaths(paths);
  expect(said).toEqual(expected);
});

test("a site that returns a page for every address has no exposed file and no open address", async () => {
  const { reported: said } = await probePaths({
    "*": lost,
    "/devconsole": lost,
    "/devconsole/runs": lost,
  });
  expect(said).toEqual(["page.notfound-quality"]);
});

test("what only looks like a secret isn't reported", async () => {
  const text = (body: string): HttpSiteResponse => ({ type: "text/plain", body });
  const { reported: said } = await probePaths({
    "/.env": text("Sorry, nothing to see here."),
    "/.git/config": text("core"),
    "/vitrine.json": json({ name: "a page about vitrines" }),
    "/backup.zip": text("PK"),
    "/dump.sql": "<!doctype html><p>CREATE TABLE is a statement of SQL",
    "/data/keys/runner.key": text("not here"),
    "/db.sqlite3": { status: 403, body: "SQLite format 3\0" },
  });
  expect(said).toEqual([]);
});

test("only a real source map is reported, for a person to judge", async () => {
  const script: ResponseFixture = { type: "text/javascript", body: "1" };
  const pages = { "/": home, "/about/": about, "/a.js": script, "/b.js": script };
  const map = json({ version: 3, sources: ["a.ts"], mappings: "AAAA" });
  const { found } = await probePaths(
    { "/a.js.map": map, "/b.js.map": json({ version: 3 }) },
    { pages },
  );
  expect(found).toMatchObject([
    {
      check: "sec.exposed-file",
      target: "/a.js.map",
      severity: "notice",
      confidence: "review",
      critical: false,
    },
  ]);
});

test("JSON and Atom feeds are read, and their items followed", async () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><link href="/gone/"/><entry><title>y</title><link href="/about/"/></entry></feed>`;
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: "x",
    items: [{ url: "/gone/" }],
  };
  const named = home.replace(
    "<title>",
    `<link rel="alternate" type="application/atom+xml" href="/atom.xml"><link rel="alternate" type="application/feed+json" href="/feed.json"><link rel="alternate" hreflang="sv" href="/sv/"><title>`,
  );
  const { reported: said, probes } = await probePaths(
    { "/atom.xml": { type: "application/atom+xml", body: atom }, "/feed.json": json(feed) },
    { pages: { "/": named, "/about/": about } },
  );
  expect(probes.feeds.map(({ format, items, broken }) => [format, items, broken.length])).toEqual([
    ["rss", 1, 0],
    ["atom", 1, 0],
    ["json", 1, 1],
  ]);
  expect(said).toEqual(["feed.broken"]);
});

test("on an unchanged site, only the private addresses are probed", async () => {
  const {
    probes,
    site,
    reported: said,
  } = await probePaths({ "/.env": { body: "A_B=1" } }, { unchanged: true });
  expect(said).toEqual([]);
  expect(probes.notFound).toBeNull();
  expect(probes.gates.length).toBeGreaterThan(5);
  expect(site.requests.length).toBeLessThan(30);
});

test("on another site, no address of Vitrine is probed", async () => {
  const {
    probes,
    site,
    reported: said,
  } = await probePaths({ "/api/health": { status: 500 } }, { own: null });
  expect(said).toEqual([]);
  expect([probes.health, probes.gates, probes.previews, probes.forms]).toEqual([null, [], [], []]);
  expect(site.requests.some(({ url }) => /^\/(?:api|devconsole|_preview)/.test(url))).toBe(false);
});

test("an inconclusive response counts as not checked, not as fixed", async () => {
  const busy: HttpSiteResponse = { status: 503, body: "busy" };
  const { probes, reported: said } = await probePaths({
    "*": busy,
    "/devconsole/runs": busy,
    [own.previews[0] as string]: { status: 429, body: "slower" },
  });
  expect(said).toEqual([]);
  expect(probes.skippedChecks.flatMap(({ checks: ids = [] }) => ids).toSorted()).toEqual([
    "health.admin-gate",
    "health.preview-leak",
    "page.notfound-quality",
    "page.notfound-redirects-home",
  ]);
});

test("a failing probe is reported, and all others run", async () => {
  await using site = await serveResponses((request) => answerOf(good, request));
  const crawl = crawlOf({ origin: site.origin, responses: { "/": home } });
  const seeds = await readSeeds(site.fetcher, crawl.start);
  const probes = await probeSite({
    fetcher: {
      own: (url, ask) =>
        url.endsWith("/api/health") ? Promise.reject(new Error("odd")) : site.fetcher.own(url, ask),
    },
    seeds,
    crawl,
    unchanged: true,
    own,
    watch: { signal: new AbortController().signal, countMessages: async () => 0 },
    now,
  });
  expect(probes.skippedChecks).toEqual([
    { what: "health", why: "odd", checks: ["health.api", "health.latency", "health.migrations"] },
  ]);
  expect(probes.gates.length).toBeGreaterThan(5);
});

// Good for localhost until 21 November 2046; its key opens nothing but this test.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBqDCCAU+gAwIBAgIUE2jbS50t5VBHPMv29VjznVOYI2EwCgYIKoZIzj0EAwIw
KjEUMBIGA1UECgwLQSBDZXJ0aWZpZXIxEjAQBgNVBAMMCWxvY2FsaG9zdDAeFw0y
NjExMjExOTQ0MjJaFw00NjExMjExOTQ0MjJaMCoxFDASBgNVBAoMC0EgQ2VydGlm
aWVyMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AATxZLiPxdSs2Yyf2E8yyRCNqmg8LQlljv3wrX+Vab2Xc0XNGVRCwz/R7WyjNe+e
hBWdr+adDEmvh4TSkcQ1M99co1MwUTAdBgNVHQ4EFgQUSyz2TCrGOUhzb8aEDRzK
9zfpeGQwHwYDVR0jBBgwFoAUSyz2TCrGOUhzb8aEDRzK9zfpeGQwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAomrlmGZQGYmsATmnP3D9KXEx8GmIw
SVwCTAFgfNY1NQIgBEjVrj6xiKFwERwRbJwVCxiXOPCEhdznknN+jRAHVVo=
-----END CERTIFICATE-----`;
const keyBytes =
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge55ZIJCT5jzrO/KAVSDP79/mDRtjdZeVyrtsuNozkWKhRANCAATxZLiPxdSs2Yyf2E8yyRCNqmg8LQlljv3wrX+Vab2Xc0XNGVRCwz/R7WyjNe+ehBWdr+adDEmvh4TSkcQ1M99c";

test("the remaining days of a certificate are counted, also for an expired one", async () => {
  const label = "PRIVATE KEY";
  const key = `-----BEGIN ${label}-----\n${keyBytes}\n-----END ${label}-----`;
  const server = createServer({ key, cert: certificate }, (_request, response) =>
    response.end("x"),
  );
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  try {
    const days = (date: string) => probeTls(origin, Date.parse(date), signal);
    expect(await days("2046-11-01T00:00:00Z")).toEqual({
      host: "127.0.0.1",
      notAfter: "2046-11-21T19:44:22.000Z",
      issuer: "A Certifier",
      daysLeft: 20,
    });
    expect(await days("2046-11-22T19:44:23Z")).toMatchObject({ daysLeft: -2 });
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
  await expect(probeTls(origin, 0, signal)).rejects.toThrow("ECONNREFUSED");
  expect(await probeTls("http://127.0.0.1:1", 0, signal)).toBeNull();
});
