import { afterEach, expect, test } from "vitest";
import {
  type Content,
  type SmallSite,
  startSmallSite,
} from "../../../../test/support/small-site.ts";
import { engineJob } from "../../../../test/support/engine-job.ts";
import { defaultQaLimits } from "../limits.ts";
import { runEngine } from "./engine.ts";
import type { Observation } from "./job.ts";

// What good sites do and what is easily taken for a fault: each beside the fault that is one.

const cleanups: SmallSite[] = [];
afterEach(async () => {
  for (const site of cleanups.splice(0)) await site[Symbol.asyncDispose]();
});

interface RunOutcome {
  origin: string;
  requests: readonly string[];
  /** What these checks said, as `page: check target`; without a target the page itself. */
  reported(...checks: string[]): string[];
  /** What one check said. */
  findings(check: string): Observation[];
}

/** One run over a site that is not this program's; `here` stands for its origin. */
async function run(content: Record<string, Content>, start = "/"): Promise<RunOutcome> {
  const site = await startSmallSite({});
  cleanups.push(site);
  for (const [path, one] of Object.entries(content)) {
    const text = (body: string) => body.replaceAll("https://here", site.origin);
    const { body = "" } = typeof one === "string" ? {} : one;
    const whole = typeof body === "string" ? text(body) : body;
    site.content.set(path, typeof one === "string" ? text(one) : { ...one, body: whole });
  }
  const { observations } = await runEngine(
    engineJob(site.origin + start, {
      limits: { ...defaultQaLimits, phaseSeconds: 10, seconds: 60 },
    }),
    {
      signal: new AbortController().signal,
      progress() {},
      countMessages: () => Promise.resolve(null),
    },
  );
  const reported = (check: string) => observations.filter((one) => one.check === check);
  return {
    origin: site.origin,
    requests: site.requests,
    findings: reported,
    reported: (...checks) =>
      checks
        .flatMap(reported)
        .flatMap(({ check, target, occurrences }) =>
          [...new Set(occurrences.map(({ page }) => page))].map((page) =>
            `${page}: ${check} ${target ?? ""}`.trim().replaceAll(site.origin, "https://here"),
          ),
        )
        .toSorted(),
  };
}

/** A page with a title, this in its head, and this in its body. */
const page = (title: string, head = "", body = "", lang = "en"): string =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><main><h1>${title}</h1>${body}</main></body></html>`;

const canonical = (href: string) => `<link rel="canonical" href="${href}">`;
const links = (...hrefs: string[]) =>
  hrefs.map((href) => `<a href="${href}">${href}</a>`).join(" ");
const sitemap = (...paths: string[]) => ({
  type: "application/xml",
  body: `<urlset>${paths.map((path) => `<url><loc>https://here${path}</loc></url>`).join("")}</urlset>`,
});

test("a canonical address with a query means the address with that query", async () => {
  const { reported: said, findings: reported } = await run({
    "/": page(
      "Shop",
      canonical("/"),
      links("/item.php?id=3", "/work", "/work?page=2", "/work?f=photo", "/odd", "/led", "/out"),
    ),
    // Without its query there is nothing.
    "/item.php?id=3": page("Lamp", canonical("/item.php?id=3")),
    "/work": page("Work", canonical("/work")),
    "/work?page=2": page("Work, page 2", canonical("https://here/work?page=2")),
    "/work?f=photo": page("Photos", canonical("/work")),
    "/odd": page("Odd", canonical("/odd?id=4")),
    "/led": page("Led", canonical("/led/")),
    "/led/": { status: 301, headers: { location: "/work" } },
    "/out": page("Out", canonical("/quiet")),
    "/quiet": page("Quiet", `<meta name="robots" content="noindex">`),
  });
  expect(said("seo.canonical-broken", "seo.canonical-mismatch")).toEqual([
    "/led: seo.canonical-broken /led/",
    "/odd: seo.canonical-broken /odd?id=4",
    "/out: seo.canonical-broken /quiet",
  ]);
  const quiet = reported("seo.canonical-broken").find(({ target }) => target === "/quiet");
  expect(quiet?.evidence).toMatchObject({ status: 200, noindex: true });
});

test("an unknown state of a canonical address isn't reported", async () => {
  const { reported: said } = await run({
    "/": page("Home", canonical("/"), links("/members", "/tool", "/many")),
    "/members": page("Members", canonical("/members/all")),
    "/members/all": { status: 403, body: "No" },
    "/tool": page("Tool", canonical("/cdn-cgi/tool")),
    "/many": page("Many", canonical("https://www.elsewhere.test/many")),
  });
  expect(said("seo.canonical-broken", "seo.canonical-mismatch")).toEqual([]);
});

test("copies, translations, and the pages of a list aren't duplicates", async () => {
  const described = (text: string) => `<meta name="description" content="${text}">`;
  const lamp =
    "A lamp of bent ash and paper, drawn in the winter for a reading room by the sea. It hangs low over the table and throws a warm light on the page. The shade is folded by hand from one sheet.";
  const frame = page("App", "", `<div id="app"></div><script src="/app.js"></script>`);
  const parts = {
    Work: ["/work", "/work/2", "/work/3"],
    Blog: ["/blog", "/blog/page/2"],
    News: ["/news?page=1", "/news?page=2"],
    Notes: ["/notes", "/notes?p=2", "/notes/p/3"],
    // Each of these is a page of its own.
    Item: ["/item/4", "/item/5"],
    Post: ["/?p=123", "/?p=124"],
    Thing: ["/things/p/1", "/p51"],
  };
  const parted = Object.fromEntries(
    Object.entries(parts).flatMap(([title, paths]) =>
      paths.map((path) => [path, page(title, canonical(path), path)]),
    ),
  );
  const { reported: said } = await run({
    "/": page(
      "Ada",
      canonical("/"),
      links("/lamp", "/print/lamp", "/sv/", "/one", "/two") +
        links("/app", "/app/x", "/?p=125", ...Object.values(parts).flat()),
    ),
    ...parted,
    // The frame of an application, the same at each of its addresses.
    "/?p=125": page("Ada", canonical("/?p=125"), "Under the name of the whole site."),
    "/app": frame,
    "/app/x": frame,
    "/lamp": page("Lamp", canonical("/lamp") + described("A lamp."), lamp),
    "/print/lamp": page(
      "Lamp",
      canonical("/lamp") + described("A lamp."),
      `${lamp} To be printed.`,
    ),
    "/sv/": page("Ada", canonical("/sv/"), "", "sv"),
    "/one": page("Same", canonical("/one") + described("Same."), "First."),
    "/two": page("Same", canonical("/two") + described("Same."), "Second."),
  });
  expect(
    said("seo.title-duplicate", "meta.description-duplicate", "seo.canonical-mismatch"),
  ).toEqual([
    "/: seo.title-duplicate Ada",
    "/?p=123: seo.title-duplicate Post",
    "/?p=124: seo.title-duplicate Post",
    "/?p=125: seo.title-duplicate Ada",
    "/item/4: seo.title-duplicate Item",
    "/item/5: seo.title-duplicate Item",
    "/one: meta.description-duplicate Same.",
    "/one: seo.title-duplicate Same",
    "/p51: seo.title-duplicate Thing",
    "/things/p/1: seo.title-duplicate Thing",
    "/two: meta.description-duplicate Same.",
    "/two: seo.title-duplicate Same",
  ]);
});

test("pages that all have the head of their list are reported although they are neither copies nor duplicates", async () => {
  const head = canonical("/work/");
  const { reported: said, findings: reported } = await run({
    "/": page("Ada", canonical("/"), links("/work/", "/work/lamp/", "/work/chair/")),
    "/work/": page(
      "Work",
      head,
      "Lamps, chairs and tables from the last ten years. Write for prices.",
    ),
    "/work/lamp/": page(
      "Work",
      head,
      "A lamp of bent ash and paper, drawn for a reading room by the sea.",
    ),
    "/work/chair/": page(
      "Work",
      head,
      "Oak and woven cord. It stacks four high and weighs three kilos.",
    ),
  });
  expect(said("seo.canonical-mismatch", "seo.title-duplicate")).toEqual([
    "/work/chair/: seo.canonical-mismatch /work/",
    "/work/lamp/: seo.canonical-mismatch /work/",
  ]);
  expect(reported("seo.canonical-mismatch")[0]).toMatchObject({
    severity: "warning",
    confidence: "review",
  });
});

test("addresses of a CDN in front of the site are neither requested nor reported as missing", async () => {
  const { reported: said, requests: asked } = await run({
    "/": page(
      "Home",
      "",
      `<a href="/cdn-cgi/l/email-protection#a1b2">[email protected]</a>
       <script src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script>
       <img src="/cdn-cgi/image/width=80/lamp.jpg" width="80" height="60" alt="A lamp">
       <a href="/gone">Gone</a>`,
    ),
  });
  expect(
    said("link.internal-broken", "link.fragment-missing", "asset.broken", "img.broken"),
  ).toEqual(["/: img.broken /cdn-cgi/image/width=80/lamp.jpg", "/: link.internal-broken /gone"]);
  expect(asked.filter((one) => one.includes("/cdn-cgi/"))).toEqual([
    "GET /cdn-cgi/image/width=80/lamp.jpg",
  ]);
});

test("a page that is in the sitemap but asks not to be listed is reported, whatever the sitemap's name is", async () => {
  const noindex = `<meta name="robots" content="noindex">`;
  const { reported: said, findings: reported } = await run({
    "/": page("Home", "", links("/a", "/b", "/c", "/d", "/e?x=1", "/f", "/g", "/h", "/i")),
    "/robots.txt": { type: "text/plain", body: "Sitemap: https://here/list.xml\n" },
    "/list.xml": {
      type: "application/xml",
      body: "<sitemapindex><sitemap><loc>https://here/part</loc></sitemap></sitemapindex>",
    },
    "/part": sitemap("/", "/a", "/b", "/d", "/e?x=1", "/f", "/g", "/h", "/i"),
    "/a": page("A", noindex),
    "/b": {
      headers: { "x-robots-tag": "noarchive, noindex" },
      body: page("B"),
    },
    // Nothing lists it.
    "/c": page("C", noindex),
    "/d": page("D", `<meta name="robots" content="index, max-image-preview:none">`),
    "/e?x=1": page("E", noindex),
    "/f": { headers: { "x-robots-tag": "otherbot: noindex, nofollow" }, body: page("F") },
    "/g": page("G", `<meta name="robots" content="noindex nofollow">`),
    "/h": page("H", `<meta name="robots" content="max-snippet: -1;noindex">`),
    "/i": page("I", `<meta name="robots" content="index max-image-preview: none">`),
  });
  expect(said("seo.noindex-unexpected")).toEqual([
    "/a: seo.noindex-unexpected",
    "/b: seo.noindex-unexpected",
    "/e?x=1: seo.noindex-unexpected",
    "/g: seo.noindex-unexpected",
    "/h: seo.noindex-unexpected",
  ]);
  expect(reported("seo.noindex-unexpected")[0]).toMatchObject({
    critical: true,
    evidence: { inSitemap: true },
  });
});

test("images are sized by a style sheet with a version in its address", async () => {
  const image = `<div class="frame"><img src="/p.svg" alt="A lamp"></div>`;
  const sheet = (name: string) => `<link rel="stylesheet" href="${name}">`;
  const css = (body: string) => ({ type: "text/css", body });
  const { reported: said } = await run({
    "/": page("Home", sheet("/a.css?ver=6.1"), image + links("/b")),
    "/b": page("B", sheet("/b.css?ver=6.1"), image),
    "/a.css?ver=6.1": css(".frame img{aspect-ratio:3/2;width:100%}"),
    "/b.css?ver=6.1": css("img{max-width:100%;height:auto}.x{background:url(gone.png)}"),
    "/p.svg": { type: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
  });
  expect(said("img.dimensions-missing", "asset.css-url-broken")).toEqual([
    "/b: asset.css-url-broken /gone.png",
    "/b: img.dimensions-missing /p.svg",
  ]);
});

test("addresses with white space lead where browsers go, and images for high-resolution screens aren't email addresses", async () => {
  const image = (src: string) => `<img src="${src}" alt="A lamp" width="1" height="1">`;
  const drawn = { type: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" };
  const { reported: said } = await run({
    "/": page(
      "Home",
      "",
      links("/files/My CV.pdf", "/ab\nout", "/no where", "/about") +
        ["my lamp.svg", "lamp@2x.svg", "no lamp.svg", "none@2x.svg"].map(image).join(" "),
    ),
    "/files/My%20CV.pdf": { type: "application/pdf", body: "%PDF-1.4" },
    "/about": page("About"),
    "/my%20lamp.svg": drawn,
    "/lamp@2x.svg": drawn,
  });
  expect(said("link.malformed", "link.internal-broken", "img.broken")).toEqual([
    "/: img.broken /no lamp.svg",
    "/: img.broken /none@2x.svg",
    "/: link.malformed /no where",
  ]);
});

test("a page that is sent as XML is parsed as XML", async () => {
  const xml = (head: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>X</title>${head}</head><body><h1>X</h1><p/></body></html>`;
  const { reported: said } = await run({
    "/": page("Home", "", links("/xml", "/html")),
    "/xml": { type: "application/xhtml+xml", body: xml(`<script src="/a.js"/>`) },
    "/html": { type: "text/html", body: xml("") },
    "/a.js": { type: "text/javascript", body: "1" },
  });
  expect(
    said("page.html-invalid", "page.charset-missing").filter((one) => /xml/.test(one)),
  ).toEqual([]);
  expect(said("page.charset-missing")).toEqual(["/html: page.charset-missing"]);
});

test("a site without canonical addresses is reported once, a single page without one on that page", async () => {
  const all = {
    "/": page("Home", "", links("/a")),
    "/a": page("A", "", links("/b")),
    "/b": page("B"),
  };
  expect((await run(all)).reported("seo.canonical-missing")).toEqual(["/: seo.canonical-missing"]);
  const some = { ...all, "/": page("Home", canonical("/"), links("/a")) };
  expect((await run(some)).reported("seo.canonical-missing")).toEqual([
    "/a: seo.canonical-missing",
    "/b: seo.canonical-missing",
  ]);
});

test("a redirect that ends at a missing page is reported once, where it is linked", async () => {
  const to = (location: string) => ({ status: 301, headers: { location } });
  const { findings } = await run({
    "/": page("Home", "", links("/old", "/far", "/turn")),
    "/old": to("/gone"),
    "/far": to("/further"),
    "/further": to("/lost"),
    "/turn": `<!doctype html><meta http-equiv="refresh" content="0;url=/away">`,
  });
  const told = [
    "link.internal-broken",
    "link.redirect-chain",
    "page.status-4xx",
    "asset.broken",
    "link.self-redirect",
  ].flatMap((check) => findings(check).map((one) => `${one.page} ${one.check}: ${one.message}`));
  expect(told.toSorted()).toEqual([
    "/ link.internal-broken: The link “/far” leads to /far, which redirects to /lost, which doesn’t exist.",
    "/ link.internal-broken: The link “/old” leads to /old, which redirects to /gone, which doesn’t exist.",
    "/turn page.status-4xx: The page /turn only redirects to /away, which doesn’t exist (404).",
  ]);
});
