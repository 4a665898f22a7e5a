import { afterEach, expect, test } from "vitest";
import { engineJob } from "../../../../test/support/engine-job.ts";
import { startSmallSite, type SmallSite } from "../../../../test/support/small-site.ts";
import { defaultQaLimits } from "../limits.ts";
import { runEngine } from "./engine.ts";
import type { Observation } from "./job.ts";

const cleanups: SmallSite[] = [];
afterEach(async () => {
  for (const site of cleanups.splice(0)) await site[Symbol.asyncDispose]();
});

/** Defects of the template: each one is on every page. */
const header = `<div class="top"><div class="brand"><img src="/logo.png" width="9" height="9"></div>
<a class="old" href="/moved-away/">Shop</a><a class="nowhere" href="">Soon</a>
<span style="color: #999; background: #fff">A small text of the template that nobody can read</span></div>`;
const footer = `<div class="end"><p id="twice">One</p><p id="twice">Two</p><form><input name="q"></form></div>`;

/** A page of the template, with this in its main part. */
const page = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title><meta name="description" content="All about ${title}, and what makes it so different from the rest of the site."></head><body>${header}<main><h1>${title}</h1>${body}</main>${footer}</body></html>`;

/** The number of pages, and those of them with a defect of their own. */
const count = 50;
const own = [7, 21, 33];

function contentOf(): Record<string, string> {
  const links = Array.from({ length: count }, (_, n) => `<a href="/p${n}/">Page ${n}</a>`).join(
    " ",
  );
  const pages = Array.from({ length: count }, (_, n) => {
    const defect = own.includes(n)
      ? `<p><a href="/gone-${n}/">Gone</a></p><img src="/image-${n}.png" width="9" height="9">`
      : "";
    return [`/p${n}/`, page(`Page number ${n}`, `<p>Words of page ${n}.</p>${defect}`)] as const;
  });
  return { "/": page("Home", links), ...Object.fromEntries(pages) };
}

async function siteOf(content: Record<string, string>): Promise<SmallSite> {
  const site = await startSmallSite(content);
  cleanups.push(site);
  const images = ["/logo.png", ...own.map((n) => `/image-${n}.png`)];
  for (const image of images) site.content.set(image, { type: "image/png", body: image });
  return site;
}

async function observe(site: SmallSite, browser: "auto" | "off" = "off"): Promise<Observation[]> {
  const limits = { ...defaultQaLimits, phaseSeconds: 10, seconds: 300 };
  const watch = {
    signal: new AbortController().signal,
    progress() {},
    countMessages: () => Promise.resolve(null),
  };
  const job = engineJob(`${site.origin}/`, { limits, browser });
  return (await runEngine(job, watch)).observations;
}

const byCheck = (found: readonly Observation[], check: string) =>
  found.filter((one) => one.check === check);

test("a defect of a template is one finding with all of its pages, beside those of single pages", async () => {
  const found = await observe(await siteOf(contentOf()));
  const pagesOf = (check: string) =>
    byCheck(found, check)
      .map(({ target, pageCount }) => `${target ?? "-"} ${pageCount}`)
      .toSorted();
  expect(pagesOf("link.internal-broken")).toEqual([
    "/gone-21/ 1",
    "/gone-33/ 1",
    "/gone-7/ 1",
    "/moved-away/ 51",
  ]);
  expect(pagesOf("img.alt-missing")).toEqual([
    "/image-21.png 1",
    "/image-33.png 1",
    "/image-7.png 1",
    "/logo.png 51",
  ]);
  expect(pagesOf("link.empty-href")).toEqual(["- 51"]);
  expect(pagesOf("page.duplicate-id")).toEqual(["#twice 51"]);
  expect(pagesOf("meta.lang")).toEqual(["- 51"]);
  expect(pagesOf("meta.viewport")).toEqual(["- 51"]);
  // The places are listed, up to a limit.
  const logo = byCheck(found, "img.alt-missing").find(({ target }) => target === "/logo.png");
  expect(logo?.occurrences).toHaveLength(50);
  expect(logo?.occurrenceCount).toBe(51);
  // Nothing else is reported once for each page.
  const repeats = Map.groupBy(
    found,
    ({ check, message }) => `${check} ${message.replace(/\d+/g, "#")}`,
  );
  expect([...repeats.values()].filter((same) => same.length > own.length)).toEqual([]);
});

test("a defect at fewer places is the same finding", async () => {
  const content = contentOf();
  const before = await observe(await siteOf(content));
  const after = await observe(
    await siteOf({ ...content, "/p3/": (content["/p3/"] ?? "").replace(header, "") }),
  );
  const places = (found: readonly Observation[]) =>
    new Map(found.map(({ fingerprint, pageCount }) => [fingerprint, pageCount]));
  const [then, now] = [places(before), places(after)];
  expect([...now.keys()].toSorted()).toEqual([...then.keys()].toSorted());
  const fewer = before.filter(({ fingerprint: id }) => (now.get(id) ?? 0) < (then.get(id) ?? 0));
  expect(fewer.map(({ check }) => check).toSorted()).toEqual([
    "a11y.contrast",
    "img.alt-missing",
    "img.not-image",
    "link.empty-href",
    "link.internal-broken",
  ]);
});

test("a browser's findings about a template are one finding, too", async () => {
  const content = contentOf();
  const some = Object.entries(content).filter(([path]) => /^\/(?:p[0-7]\/)?$/.test(path));
  const found = await observe(await siteOf(Object.fromEntries(some)), "auto");
  const rendered = found.filter(({ scope }) => scope === "browser");
  expect(rendered.map(({ check, pageCount }) => `${check} ${pageCount}`).toSorted()).toEqual([
    "a11y.axe.label 9",
    "a11y.axe.region 9",
    "a11y.contrast 9",
  ]);
});

test("elements of one component are one finding, which says how many more there are", async () => {
  const item = (name: string) => `<li><a class="tile" href="#">${name}</a></li>`;
  const list = `<ul class="tiles">${["One", "Two", "Three"].map(item).join("")}</ul>`;
  const site = await siteOf({
    "/": page("Home", `<a href="/a/">A</a>${list}`),
    "/a/": page("Page A", `${list}<p><a href="#">No class or id around it</a></p>`),
  });
  const found = byCheck(await observe(site), "link.empty-href").filter(
    ({ evidence }) => evidence["href"] === "#",
  );
  expect(
    found.map(({ message, occurrenceCount, pageCount }) => [message, occurrenceCount, pageCount]),
  ).toEqual([
    [
      "The link “One” leads nowhere, unless a script handles it. The same goes for 2 similar elements.",
      6,
      2,
    ],
    ["The link “No class or id around it” leads nowhere, unless a script handles it.", 1, 1],
  ]);
  // What it was called when each of them was a finding.
  expect(found[0]?.formerly?.length).toBeGreaterThan(2);
});

test("a template's link to a place of its own page is one finding", async () => {
  const menu = `<div class="bar"><a class="menu" href="#sidebar"><i class="icon"></i></a></div>`;
  const site = await siteOf({
    "/": page("Home", `<a href="/a/">A</a>${menu}`),
    "/a/": page("Page A", menu),
  });
  const found = await observe(site);
  for (const check of ["link.no-text", "link.fragment-missing"]) {
    expect(byCheck(found, check).map(({ target, pageCount }) => [target, pageCount])).toEqual([
      ["#sidebar", 2],
    ]);
  }
});

test("a template whose first heading isn't an h1 is one finding, as is its naming of files", async () => {
  const at = (title: string) =>
    page(title, `<p>${title}</p>`).replace(/<h1>(.*?)<\/h1>/, `<h3 class="title">$1</h3>`);
  const site = await siteOf({
    "/": page("Home", `<a href="/Page_A/">A</a> <a href="/Page_B/">B</a>`),
    "/Page_A/": at("Page A"),
    "/Page_B/": at("Page B"),
  });
  const found = await observe(site);
  const pagesOf = (check: string) => byCheck(found, check).map(({ pageCount }) => pageCount);
  expect([pagesOf("seo.h1-missing"), pagesOf("seo.url-hygiene")]).toEqual([[2], [2]]);
});
