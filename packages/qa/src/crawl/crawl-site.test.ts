import { afterEach, expect, test } from "vitest";
import { noise } from "../../../../test/support/image-bytes.ts";
import {
  type Content,
  type SmallSite,
  startSmallSite,
} from "../../../../test/support/small-site.ts";
import { defaultQaLimits, type QaLimits } from "../limits.ts";
import type { SiteCache } from "../engine/job.ts";
import { runPageChecks } from "../checks/run-page-checks.ts";
import { extFragmentMissing } from "../checks/site/ext-fragments.ts";
import type { Page } from "../page/page.ts";
import type { Probes } from "../probe/probes.ts";
import { type CrawlResult, type CrawlOptions, crawlSite } from "./crawl-site.ts";
import { makeFetcher } from "./fetcher.ts";
import { simhashDistance } from "./simhash.ts";

const nothing: SiteCache = { site: null, resources: [], externals: [] };
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function siteOf(content: Record<string, Content>): Promise<SmallSite> {
  const site = await startSmallSite(content);
  cleanups.push(() => site[Symbol.asyncDispose]());
  return site;
}

interface Wishes extends Partial<Omit<CrawlOptions, "limits">> {
  limits?: Partial<QaLimits>;
}

/** One run over a site; every host of the test is on loopback. */
async function crawl(
  site: SmallSite,
  { limits: given, ...wishes }: Wishes = {},
): Promise<CrawlResult> {
  const limits = { ...defaultQaLimits, phaseSeconds: 5, ...given };
  const { signal } = new AbortController();
  const allow = (host: string) => host === "127.0.0.1" || host === "out.test";
  const resolve = (host: string) =>
    host === "out.test"
      ? Promise.resolve(["127.0.0.1"])
      : Promise.reject(Object.assign(new Error("silent"), { code: "EAI_AGAIN" }));
  const fetcher = makeFetcher({
    origin: site.origin,
    connect: null,
    limits,
    signal,
    allow,
    resolve,
  });
  const crawled = await crawlSite({
    start: `${site.origin}/`,
    seeds: [],
    fetcher,
    limits,
    cache: nothing,
    engine: "1",
    full: false,
    external: "due",
    now: "2026-11-21T10:00:00.000Z",
    signal,
    onProgress() {},
    ...wishes,
  });
  await fetcher.close();
  cleanups.push(crawled.close);
  return crawled;
}

const page = (body: string, head = "") =>
  `<!doctype html><html lang="en"><head><title>A page</title>${head}</head><body><main>${body}</main></body></html>`;

test("every reference is recorded with its kind, element, and line", async () => {
  const site = await siteOf({
    "/": [
      "<!doctype html>",
      '<html lang="en"><head><title>T</title><link rel="stylesheet" href="/s.css">',
      '<link rel="icon" href="/i.png"><link rel=canonical href="/">',
      '<meta property="og:image" content="/og.png">',
      '<script type="application/ld+json">{"@type":"Person","image":"/ld.png"}</script></head>',
      '<body><main><p class="intro">See <a href="/about/#me">about me</a></p>',
      '<img src="/a.png" alt="An A" srcset="/b.png 2x"><video src="/v.mp4" poster="/p.png"></video>',
      '<iframe src="/frame"></iframe><form action="/send" method="post"></form>',
      '<p style="background: url(/style.png)"></p></main></body></html>',
    ].join("\n"),
    "/s.css": {
      type: "text/css",
      body: "@font-face { src: url(f.woff2) }\n\n.x { background: url('x.png') }",
    },
  });
  const { crawl: found } = await crawl(site);
  const reported = found.references.map(({ kind, raw, line, sheet }) =>
    [kind, raw, line, ...(sheet === undefined ? [] : [new URL(sheet).pathname])].join(" "),
  );
  expect(reported.toSorted()).toEqual(
    [
      "style /s.css 2",
      "icon /i.png 3",
      "canonical / 3",
      "og /og.png 4",
      "jsonld /ld.png 5",
      "link /about/#me 6",
      "image /a.png 7",
      "srcset /b.png 7",
      "media /v.mp4 7",
      "image /p.png 7",
      "frame /frame 8",
      "form /send 8",
      "css /style.png 9",
      "font f.woff2 1 /s.css",
      "css x.png 3 /s.css",
    ].toSorted(),
  );
  const [link] = found.referencesTo(`${site.origin}/about/`);
  expect(link).toMatchObject({ text: "about me", page: "/", selector: "body main p.intro a" });
  expect(site.requests).not.toContain("GET /send");
});

test("the target of a redirect is recorded with its fragment, and whether the page itself redirects", async () => {
  const to = (location: string) => ({ status: 301, headers: { location } });
  const site = await siteOf({
    "/": page('<a href="/old#team">a</a><a href="/named#team">b</a><a href="/turn#team">c</a>'),
    "/about/": page('<h2 id="people">x</h2>'),
    "/old": to("/about/"),
    "/named": to("/then#people"),
    "/then": to("/about/"),
    "/turn": '<meta http-equiv="refresh" content="0; url=/about/">',
  });
  const { crawl: found } = await crawl(site);
  const reported = (path: string) => found.site.resolve(path);
  expect(reported("/old")).toEqual({ kind: "redirect", path: "/old", to: "/about/" });
  expect(reported("/named")).toMatchObject({ to: "/about/#people" });
  expect(reported("/turn")).toMatchObject({ to: "/about/", byPage: true });
  const start = found.page("/");
  const { findings } = runPageChecks(start as Page, found.site, { fallbacks: false });
  const missing = findings.filter(({ check }) => check === "link.fragment-missing");
  expect(missing.map(({ target }) => target)).toEqual(["/about/#team"]);
});

test("a crawled site has the same interface for checks as a built one", async () => {
  const image = await noise(12, 8).png().toBuffer();
  const site = await siteOf({
    "/": page(
      '<a href="/About">a</a><a href="/old">b</a><a href="/ill">c</a><a href="/gone">d</a><a href="/about#caf%C3%A9">e</a><a href="/admin/">f</a><img src="/p.png" alt="">',
    ),
    "/about": page('<h2 id="caf\u00e9">x</h2><a name="old">y</a>'),
    "/old": { status: 301, headers: { location: "/about" } },
    "/ill": { status: 500 },
    "/p.png": { type: "application/octet-stream", body: image },
  });
  const { crawl: found, visited } = await crawl(site);
  expect(found.site.resolve("/about")).toMatchObject({ kind: "file", path: "/about" });
  expect(found.site.resolve("/old")).toMatchObject({ kind: "redirect", to: "/about" });
  expect(found.site.resolve("/gone")).toBeUndefined();
  expect(found.site.resolve("/ill")).toMatchObject({ kind: "unknown" });
  expect(found.site.resolve("/never-asked")).toMatchObject({ kind: "unknown" });
  expect(found.site.resolve("/admin/")).toEqual({ kind: "program" });
  expect(found.site.resolve("/p.png")).toMatchObject({ file: { type: "image/png" } });
  expect(found.site.findPathIgnoringCase("/About")).toBe("/about");
  expect([...(found.site.fragmentTargetsOn("/about") ?? [])]).toEqual(["caf\u00e9", "old"]);
  expect(found.site.pagePaths).toEqual(["/", "/about"]);
  expect(visited.toSorted()).toEqual(["/", "/about"]);
  expect(found.responses.get(`${site.origin}/p.png`)?.image).toEqual({
    format: "png",
    width: 12,
    height: 8,
    locationTags: [],
  });
  expect(found.responses.get(`${site.origin}/old`)?.hops).toEqual([
    { url: `${site.origin}/old`, status: 301 },
  ]);
  expect(site.requests.filter((line) => line.endsWith("/about"))).toHaveLength(1);
});

test("a page that redirects only visitors without scripts is a page, and its target is requested", async () => {
  const site = await siteOf({
    "/": page(
      '<a href="/idle">a</a>',
      '<noscript><meta http-equiv="refresh" content="0;url=/gone"></noscript>',
    ),
    "/idle": page("Idle", '<meta http-equiv="refresh"><meta http-equiv="refresh" content="0;/">'),
  });
  const { crawl: found, visited } = await crawl(site);
  expect(visited).toEqual(["/"]);
  expect(found.site.resolve("/idle")).toMatchObject({ kind: "redirect", to: "/" });
  const { findings } = runPageChecks(found.page("/") as Page, found.site, { fallbacks: false });
  const broken = findings.filter(({ check }) => check === "link.internal-broken");
  expect(broken.map(({ target }) => target)).toEqual(["/gone"]);
});

test("sections of external pages are checked, also if the site itself hasn't changed", async () => {
  const out = await siteOf({
    "/guide": "<!doctype html><h2 id=start>Start</h2>",
    "/long": `<!doctype html>${"<p>x</p>".repeat(20_000)}`,
  });
  const at = (path: string) => out.origin.replace("127.0.0.1", "out.test") + path;
  const links = ["/guide", "/guide#start", "/guide#end", "/long#end"].map(
    (path) => `<a href="${at(path)}">x</a>`,
  );
  const site = await siteOf({ "/": page(links.join("")) });
  const missing = ({ crawl: found }: CrawlResult) =>
    [...extFragmentMissing.run(found, {} as Probes)].map(
      ({ target, otherLocations, page: on }) => ({
        target,
        on,
        others: otherLocations?.length,
      }),
    );
  const first = await crawl(site, { now: "2026-11-21T10:00:00.000Z" });
  const expected = [{ target: at("/guide#end"), on: "/", others: 0 }];
  expect(missing(first)).toEqual(expected);
  const next = await crawl(site, { cache: first.cache, now: "2026-11-23T10:00:00.000Z" });
  expect(next.unchanged).toBe(true);
  expect(missing(next)).toEqual(expected);
  expect(out.requests).toEqual(["GET /guide", "GET /long", "GET /guide", "GET /long"]);
});

test("relative addresses use the page's base, and depth counts links from the start", async () => {
  const site = await siteOf({
    "/": page('<a href="deep/one">a</a>', '<base href="/in/">'),
    "/in/deep/one": page('<a href="two">b</a><a href="/">home</a>'),
    "/in/deep/two": page("The end"),
    "/only-in-sitemap": page("Alone"),
  });
  const { crawl: found } = await crawl(site, { seeds: [`${site.origin}/only-in-sitemap`] });
  const depths = [...found.pages.values()].map(({ path, depth, from }) => [path, depth, from]);
  expect(depths.toSorted()).toEqual([
    ["/", 0, null],
    ["/in/deep/one", 1, "/"],
    ["/in/deep/two", 2, "/in/deep/one"],
    ["/only-in-sitemap", null, null],
  ]);
});

test("an icon is requested at its usual address only if no page names one", async () => {
  const asks = async (head: string) => {
    const site = await siteOf({ "/": page("Home", head) });
    await crawl(site);
    return site.requests.some((line) => line.endsWith("/favicon.ico"));
  };
  expect(await asks("")).toBe(true);
  expect(await asks('<link rel="icon" href="/i.png">')).toBe(false);
});

test("an error page looks like the site's response to missing addresses", async () => {
  const words = "We could not find the page that you were looking for. Try the start page instead.";
  const site = await siteOf({
    "/": page('<a href="/work/soft">a</a><a href="/work/real">b</a>'),
    "/work/soft": page(`<p>${words}</p>`),
    "/work/real": page(
      "<p>A bicycle for a rainy town, made of wood and patience over a winter.</p>",
    ),
  });
  site.missing = { status: 200, body: page(`<p>${words}</p>`) };
  const { crawl: found } = await crawl(site);
  const baseline = found.baselineOf("/work/");
  const distance = (path: string) =>
    simhashDistance(found.pages.get(path)?.facts.simhash ?? "0", baseline?.simhash ?? "0");
  expect(baseline?.status).toBe(200);
  expect(distance("/work/soft")).toBe(0);
  expect(distance("/work/real")).toBeGreaterThan(12);
});

test("calendars, sessions, and relative loops come to an end", async () => {
  const site = await siteOf({});
  const response = (path: string): Content =>
    path.startsWith("/calendar")
      ? page(`<a href="/calendar/${Number(path.split("/")[2] ?? 0) + 1}">next month</a>`)
      : path.startsWith("/list")
        ? page(`<a href="/list?page=${Number(path.split("=")[1] ?? 0) + 1}">next</a>`)
        : path.startsWith("/loop")
          ? page('<a href="loop/">deeper</a>')
          : page('<a href="/calendar/1">c</a><a href="/list?page=1">l</a><a href="/loop/">r</a>');
  site.content.get = (path: string) => response(path);
  const { crawl: found } = await crawl(site);
  expect(found.complete).toBe(true);
  expect(site.requests.length).toBeLessThan(120);
});

test("what the limits leave out is reported", async () => {
  const many = Array.from({ length: 30 }, (_, i) => `<a href="/p${i}">p</a>`).join("");
  const pages = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`/p${i}`, page(`Page ${i}`)]),
  );
  const site = await siteOf({ "/": page(many), ...pages });
  const { crawl: found, cache } = await crawl(site, { limits: { pages: 10 } });
  expect([found.pages.size, found.complete, cache.site]).toEqual([10, false, null]);
});

test("a QA run over an unchanged site parses nothing, and any change is detected", async () => {
  const site = await siteOf({
    "/": page(
      '<a href="/about">a</a><a href="/gone">b</a><a href="/old">c</a><img src="/p.svg" alt="">',
    ),
    "/about": page("About"),
    "/old": { status: 301, headers: { location: "/about" } },
    "/p.svg": { type: "image/svg+xml", body: "<svg/>" },
  });
  const first = await crawl(site);
  const again = await crawl(site, { cache: first.cache });
  expect([again.unchanged, again.crawl.pages.size, again.visited.toSorted()]).toEqual([
    true,
    0,
    ["/", "/about"],
  ]);
  expect((await crawl(site, { cache: first.cache, engine: "2" })).unchanged).toBe(false);
  expect((await crawl(site, { cache: first.cache, full: true })).unchanged).toBe(false);
  const seeds = [`${site.origin}/new`];
  expect((await crawl(site, { cache: first.cache, seeds })).unchanged).toBe(false);
  const changes: [string, Content][] = [
    ["/about", page("About, changed")],
    ["/p.svg", { type: "image/svg+xml", body: "<svg />" }],
    ["/gone", page("Here after all")],
    ["/old", { status: 301, headers: { location: "/" } }],
  ];
  for (const [path, content] of changes) {
    const before = site.content.get(path);
    site.content.set(path, content);
    expect([path, (await crawl(site, { cache: first.cache })).unchanged]).toEqual([path, false]);
    if (before === undefined) site.content.delete(path);
    else site.content.set(path, before);
  }
});

test("100 runs over an unchanged site have the same result each time", async () => {
  const links = Array.from({ length: 8 }, (_, i) => `<a href="/p${i}">p</a>`).join("");
  const site = await siteOf({
    "/": page(`${links}<a href="/gone">g</a><img src="/none.png" alt="">`),
    ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`/p${i}`, page(`Page ${i}`)])),
  });
  const summary = ({ crawl: found, cache }: CrawlResult) => ({
    site: cache.site,
    resources: cache.resources
      .map(({ url, status, hash }) => `${url} ${status} ${hash}`)
      .toSorted(),
    verdicts: [...found.responses].map(([url, { verdict }]) => `${url} ${verdict}`).toSorted(),
    references: found.references.map(({ page: at, url }) => `${at} ${url}`).toSorted(),
  });
  let last = await crawl(site);
  const whole = summary(last);
  for (let run = 1; run <= 100; run++) {
    const full = run % 10 === 0;
    last = await crawl(site, { cache: last.cache, full });
    expect([run, last.unchanged]).toEqual([run, !full]);
    // Passes that find nothing changed read nothing: what they hold is what is known.
    const now = summary(last);
    expect(full ? now : { ...whole, site: now.site, resources: now.resources }).toEqual(whole);
  }
});

test("external addresses are requested when they are due, and failing runs are counted separately", async () => {
  const out = await siteOf({
    "/fine": "fine",
    "/busy": { status: 429, headers: { "retry-after": "7200" } },
  });
  const at = (path: string) => out.origin.replace("127.0.0.1", "out.test") + path;
  const site = await siteOf({
    "/": page(
      `<a href="${at("/fine")}">a</a><a href="${at("/gone")}#x">b</a><a href="${at("/busy")}">c</a>`,
    ),
  });
  const passAt = async (time: string, known: SiteCache) => {
    out.requests.length = 0;
    const found = await crawl(site, { cache: known, now: `2026-11-21T${time}:00.000Z` });
    const { externals } = found.crawl;
    const requestedPaths = [...new Set(out.requests.map((line) => line.split(" ")[1]))].toSorted();
    return {
      ...found,
      asked: requestedPaths,
      gone: externals.get(at("/gone")),
      busy: externals.get(at("/busy")),
    };
  };
  const first = await passAt("10:00", nothing);
  expect(first.asked).toEqual(["/busy", "/fine", "/gone"]);
  expect(first.gone).toMatchObject({
    verdict: "broken",
    status: 404,
    badRuns: 1,
    from: [{ page: "/" }],
  });
  expect(first.busy).toMatchObject({ verdict: "unknown", notBefore: "2026-11-21T12:00:00.000Z" });
  const soon = await passAt("10:05", first.cache);
  expect([soon.unchanged, soon.asked, soon.gone?.badRuns]).toEqual([true, [], 1]);
  expect(soon.uncheckedExternals.toSorted()).toEqual([at("/busy"), at("/fine"), at("/gone")]);
  const later = await passAt("11:00", soon.cache);
  expect([later.asked, later.gone?.badRuns]).toEqual([["/gone"], 2]);
  expect(later.crawl.referencesTo(at("/gone"))).toMatchObject([{ page: "/", text: "b" }]);
  out.content.set("/gone", "back");
  const well = await passAt("12:30", later.cache);
  expect([well.asked, well.gone?.badRuns, well.gone?.firstBadAt]).toEqual([
    ["/busy", "/gone"],
    0,
    null,
  ]);
});

test("no external link is judged while the network is down", async () => {
  const links = ["a", "b", "c"].map((name) => `<a href="http://${name}.nowhere.test/">x</a>`);
  const site = await siteOf({ "/": page(links.join("")) });
  const { crawl: found } = await crawl(site);
  expect(
    [...found.externals.values()].map(({ verdict, badRuns: badPasses }) => [verdict, badPasses]),
  ).toEqual([
    ["unknown", 0],
    ["unknown", 0],
    ["unknown", 0],
  ]);
});

test("Vitrine's own pages aren't crawled, another site's pages with such addresses are", async () => {
  const site = await siteOf({ "/": page('<a href="/api/docs">d</a>'), "/api/docs": page("Docs") });
  expect((await crawl(site)).crawl.site.pagePaths).toEqual(["/"]);
  expect((await crawl(site, { program: false })).crawl.site.pagePaths).toEqual(["/", "/api/docs"]);
});
