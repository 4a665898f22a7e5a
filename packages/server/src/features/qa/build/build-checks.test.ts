import { symlink } from "node:fs/promises";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  goodPage,
  goodStyle,
  type SiteFiles,
  writeSite,
} from "../../../../../../test/support/built-site.ts";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { repeatingPage } from "../../../../../../test/support/hostile-html.ts";
import type { BuildReport } from "../../runs/schema.ts";
import { makeBuildChecks } from "./build-checks.ts";
import { inspect, makeInspectionCaches } from "./inspect.ts";
import { makeInspector } from "./inspector.ts";

let folder: TempFolder;
const never = new AbortController().signal;

beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const site: SiteFiles = {
  "index.html": goodPage("/"),
  "about/index.html": goodPage("/about/"),
  "projects/one/index.html": goodPage("/projects/one/"),
  "site.css": goodStyle,
};

const log = pino({ level: "silent" });
/** One for all tests: its thread need not start again for each. */
const checks = makeBuildChecks({ paths: { current: "" }, log });

async function writeSites(live: SiteFiles | null, next: SiteFiles) {
  const current = `${folder.path}/current`;
  if (live) {
    await writeSite(`${folder.path}/releases/1`, live);
    await symlink("releases/1", current);
  }
  const artifactDir = `${folder.path}/artifact`;
  await writeSite(artifactDir, next);
  return { artifactDir, current };
}

/** What the checks say of a build beside a live site. */
async function check(live: SiteFiles | null, next: SiteFiles): Promise<BuildReport> {
  const { artifactDir, current } = await writeSites(live, next);
  return checks({ artifactDir, liveDir: current, signal: never });
}

const checksOf = ({ findings }: BuildReport) => findings.map((finding) => finding.check);

test("a build identical to the live site needs no checks", async () => {
  const { artifactDir, current } = await writeSites(site, site);
  // Where the live site is, the paths tell.
  const own = makeBuildChecks({ paths: { current }, log });
  expect(await own({ artifactDir, signal: never })).toEqual({
    pages: 0,
    findings: [],
    added: { error: 0, warning: 0, notice: 0 },
    fixed: 0,
    brokenLinks: 0,
    bytes: { before: 0, after: 0 },
    blank: [],
  });
});

test("new findings are reported and existing ones aren't, even if lines have moved", async () => {
  const old = `<h1>Work</h1><p><a href="/gone/">Gone</a></p><p><img src="/x.png" alt="X"></p>`;
  const more = `<h1>Work</h1>\n\n<p>Before all.</p>\n${old.slice(13)}<p><a href="/lost/">Lost</a></p>`;
  const report = await check(
    { ...site, "index.html": goodPage("/", old) },
    { ...site, "index.html": goodPage("/", more) },
  );
  expect(report).toMatchObject({
    pages: 1,
    added: { error: 1, warning: 0, notice: 0 },
    fixed: 0,
    brokenLinks: 3,
    findings: [{ check: "link.internal-broken", page: "/", target: "/lost/", severity: "error" }],
  });
  expect(report.bytes.after).toBeGreaterThan(report.bytes.before);
});

test("fixed findings are counted", async () => {
  const bad = `<h1>Work</h1><p><a href="/gone/">Gone</a></p><h3>Skipped</h3>`;
  const report = await check({ ...site, "index.html": goodPage("/", bad) }, site);
  expect(report).toMatchObject({ findings: [], fixed: 2, brokenLinks: 0 });
});

test("a color with too little contrast is one finding, wherever it occurs", async () => {
  const pages = (css: string): SiteFiles => {
    const main = `<h1>Work</h1><p class="m">First words</p><h2 class="m">More</h2>`;
    const html = (path: string) => goodPage(path, main).replace("/site.css", `/${css}.css`);
    return {
      "index.html": html("/"),
      "about/index.html": html("/about/"),
      [`${css}.css`]: `${goodStyle}.m{color:${css === "a" ? "#555" : "#bbb"}}`,
    };
  };
  const report = await check(pages("a"), pages("b"));
  expect(report).toMatchObject({ pages: 2, added: { error: 1, warning: 0, notice: 0 } });
  expect(report.findings[0]).toMatchObject({ check: "a11y.contrast", page: "/" });
  expect(report.findings[0]?.message).toContain("1.91:1 (#bbbbbb on #ffffff); it needs 4.5");
  expect(report.findings[0]?.message).toContain("Also on 1 other page.");
});

test("pages that depend on changed or removed files are checked, too", async () => {
  const linking: SiteFiles = {
    ...site,
    "index.html": goodPage("/", `<h1>W</h1><a href="/about/">About</a>`),
  };
  const without = Object.fromEntries(
    Object.entries(linking).filter(([file]) => file !== "about/index.html"),
  );
  expect(await check(linking, without)).toMatchObject({
    pages: 1,
    findings: [{ check: "link.internal-broken", page: "/", target: "/about/" }],
  });
});

test("if a style sheet changes, its pages are checked", async () => {
  const report = await check(site, { ...site, "site.css": "html{color:#aaa;background:#fff}" });
  expect(report.pages).toBe(3);
  expect(checksOf(report)).toContain("a11y.contrast");
});

test("findings that a new page shares with live pages aren't new", async () => {
  const page = (path: string) => goodPage(path).replace(`href="/"`, `href="/gone/"`);
  const live = {
    ...site,
    "projects/one/index.html": page("/projects/one/"),
    "index.html": page("/"),
  };
  const report = await check(live, { ...live, "projects/two/index.html": page("/projects/two/") });
  expect(report).toMatchObject({ pages: 1, findings: [], brokenLinks: 1 });
});

test("a page without visible content, or without content of its own, is blank", async () => {
  const empty = goodPage("/about/").replace(/<body>.*<\/body>/s, "<body> <main></main></body>");
  const report = await check(site, {
    ...site,
    "about/index.html": empty,
    "projects/one/index.html": goodPage("/projects/one/", `<div hidden>Words</div>`),
    "new/index.html": goodPage("/new/", ""),
    "404.html": goodPage("/404.html", "<h1>Not found</h1>"),
    "app/index.html": goodPage("/app/", `<astro-island client="only"></astro-island>`),
  });
  expect(report.blank).toEqual(["/about/", "/new/", "/projects/one/"]);
  expect(checksOf(report)).toContain("page.empty-body");
});

test("the weight of a first visit counts styles, fonts, and images of the right size, each once", async () => {
  const main = `<h1>W</h1><picture><source type="image/avif" srcset="/a.avif"><img src="/a.png" alt="A" width="9" height="9"></picture>
<img alt="B" width="9" height="9" src="/b.png" srcset="/b-480.png 480w, /b-800.png 800w, /b-1600.png 1600w" sizes="(min-width: 768px) 50vw, 100vw">
<img alt="B" width="9" height="9" src="/b.png" srcset="/b-800.png 800w"><video preload="none" src="/v.mp4"></video>`;
  const bytes = (count: number) => "x".repeat(count);
  const css = `${goodStyle}@font-face{src:url(/l.woff2);unicode-range:U+0-FF}@font-face{src:url(/c.woff2);unicode-range:U+400-4FF}`;
  const html = goodPage("/", main);
  const report = await check(null, {
    "index.html": html,
    "site.css": css,
    "l.woff2": bytes(1000),
    "c.woff2": bytes(2000),
    "a.avif": bytes(10_000),
    "a.png": bytes(20_000),
    "b.png": bytes(40_000),
    "b-480.png": bytes(80_000),
    "b-800.png": bytes(100_000),
    "b-1600.png": bytes(200_000),
    "v.mp4": bytes(400_000),
  });
  const whole = Buffer.byteLength(html) + css.length + 1000 + 10_000 + 100_000;
  expect(report.bytes).toEqual({ before: 0, after: whole });
  expect(report.findings).toEqual([]);
});

test("abuse 142: pages beyond the limits are reported as not checked and delay nothing", async () => {
  const report = await check(site, {
    ...site,
    "deep/index.html": goodPage("/deep/", "<div>".repeat(20_000)),
    "wide/index.html": goodPage("/wide/", "<b>x</b>".repeat(100_000)),
    "long/index.html": goodPage("/long/", `<p>${"word ".repeat(4_000_000)}</p>`),
    "repeating/index.html": goodPage("/repeating/", repeatingPage(1000)),
  });
  expect(report.pages).toBe(4);
  expect(new Set(checksOf(report))).toEqual(new Set(["page.not-checked"]));
  expect(report.added).toEqual({ error: 0, warning: 0, notice: 4 });
});

const broken = `<h1>Work</h1><p><a href="/gone/">Gone</a></p>`;
const blank = goodPage("/about/", "");

/** What is said of a build beside a live site when the time is over before the first page. */
async function inspectBriefly(live: SiteFiles | null, next: SiteFiles): Promise<BuildReport> {
  const [artifactDir, liveDir] = [`${folder.path}/artifact`, `${folder.path}/live`];
  await writeSite(artifactDir, next);
  if (live) await writeSite(liveDir, live);
  const job = { artifactDir, liveDir: live && liveDir, skip: [], until: 1000 };
  const watch = { signal: never, now: () => 1000, onPage: () => {} };
  return (await inspect(job, makeInspectionCaches(), watch)).report;
}

test("if no time is left for the checks, pages without content of their own are still reported", async () => {
  const next = { ...site, "index.html": goodPage("/", broken), "about/index.html": blank };
  const report = await inspectBriefly(site, next);
  expect(report).toMatchObject({ pages: 2, blank: ["/about/"], brokenLinks: 0, fixed: 0 });
  expect(report.findings).toMatchObject([
    {
      check: "page.not-checked",
      message: "This page wasn't checked: no time was left. Also on 1 other page.",
    },
  ]);
});

test("if no time is left, a page that is blank on the live site doesn't prevent publishing", async () => {
  const live = { ...site, "about/index.html": blank };
  const report = await inspectBriefly(live, { ...live, "about/index.html": `${blank}<!-- -->` });
  expect(report).toMatchObject({ pages: 1, blank: [] });
  expect(checksOf(report)).toEqual(["page.not-checked"]);
});

test("blank pages beyond the limit of checked pages are still reported", async () => {
  const many = Array.from({ length: 205 }, (_, i) => `page/${1000 + i}`);
  const pages = Object.fromEntries(
    many.map((path) => [`${path}/index.html`, goodPage(`/${path}/`, "<h1>Page</h1>")]),
  );
  const report = await check(null, {
    ...pages,
    "page/1204/index.html": blank,
    "site.css": goodStyle,
  });
  expect(report).toMatchObject({ pages: 205, blank: ["/page/1204/"] });
  expect(report.findings.filter((one) => one.check === "page.not-checked")).toMatchObject([
    {
      page: "/page/1200/",
      message: "This page wasn't checked: the build changes too many pages. Also on 4 other pages.",
    },
  ]);
});

/** A site with pages at which a check hangs, `/hang/` and so on. */
async function writeHangingSite(names = ["hang"], more: SiteFiles = {}): Promise<string> {
  const artifactDir = `${folder.path}/hanging`;
  const selector = `${"div ".repeat(60)}i`;
  const css = `${goodStyle}${selector}{color:#222}`;
  const hanging = names.map((name) => [
    `${name}/index.html`,
    goodPage(`/${name}/`, `${"<div>".repeat(120)}<i hidden>x</i>`),
  ]);
  await writeSite(artifactDir, {
    "index.html": goodPage("/"),
    ...(Object.fromEntries(hanging) as SiteFiles),
    // A selector that begins with what is nowhere has every way tried.
    "site.css": css.replace("div ", "b div "),
    ...more,
  });
  return artifactDir;
}

/** Patience that only pages at which a check hangs use up, however slow the machine is. */
const pageTimeoutMs = (path: string) => (/^\/(?:hang|[a-e])\/$/.test(path) ? 250 : 30_000);

test("a page that blocks the thread ends the thread, and the other results are kept", async () => {
  const artifactDir = await writeHangingSite();
  const inspector = makeInspector({ pageTimeoutMs });
  const { report } = await inspector.inspect({ artifactDir, liveDir: null }, never);
  expect(report.findings.map(({ page, check: id }) => [page, id])).toContainEqual([
    "/hang/",
    "page.not-checked",
  ]);
  expect(report.pages).toBe(2);
  expect(report.blank).toEqual(["/hang/"]);
});

test("a page that blocks at the end of the time limit affects no other page", async () => {
  const artifactDir = await writeHangingSite(["hang"], { "later/index.html": blank });
  const inspector = makeInspector({ pageTimeoutMs: () => 120_000, inspectTimeoutMs: 1000 });
  const { report } = await inspector.inspect({ artifactDir, liveDir: null }, never);
  expect(report).toMatchObject({ pages: 3, blank: ["/hang/", "/later/"] });
});

test("if many pages block, the others are still checked for being blank", async () => {
  const artifactDir = await writeHangingSite(["a", "b", "c", "d", "e"], {
    "later/index.html": blank,
  });
  const inspector = makeInspector({ pageTimeoutMs });
  const { report } = await inspector.inspect({ artifactDir, liveDir: null }, never);
  expect(report.pages).toBe(7);
  expect(report.blank).toContain("/later/");
});

test("a thread that blocks on an abandoned inspection is ended and affects no other", async () => {
  const hanging = { artifactDir: await writeHangingSite(), liveDir: null };
  await writeSite(`${folder.path}/artifact`, site);
  const fine = { artifactDir: `${folder.path}/artifact`, liveDir: null };
  const inspector = makeInspector({ pageTimeoutMs: () => 30_000, stopTimeoutMs: 100 });
  await inspector.inspect(fine, never);
  // The thread that is warm comes to the page well within this; else it would only hear the stop.
  const signal = AbortSignal.timeout(300);
  const stopped = inspector.inspect(hanging, signal);
  await expect(stopped).rejects.toThrow("timeout");
  const { report } = await inspector.inspect(fine, never);
  expect([report.pages, report.findings]).toEqual([3, []]);
});

test("an inspection ends when it is aborted, or if there is no build", async () => {
  await writeSite(`${folder.path}/artifact`, site);
  const liveDir = null;
  const controller = new AbortController();
  const { signal } = controller;
  const report = checks({ artifactDir: `${folder.path}/artifact`, liveDir, signal });
  controller.abort(new Error("stopped"));
  await expect(report).rejects.toThrow("stopped");
  const missing = checks({ artifactDir: `${folder.path}/nothing`, liveDir, signal: never });
  await expect(missing).rejects.toThrow("manifest of this build is missing");
});
