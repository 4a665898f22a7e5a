import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goodPage, goodStyle, manifestOf, writeSite } from "../../../../test/support/built-site.ts";
import { siteResponding, crawlOf } from "../../../../test/support/crawl-fixture.ts";
import { visitOf } from "../../../../test/support/visit-fixture.ts";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { type Check, type CheckKind, toFinding } from "../check.ts";
import type { Evidence, Finding } from "../finding.ts";
import { runPageChecks } from "./run-page-checks.ts";
import type { Probes } from "../probe/probes.ts";
import type { Page } from "../page/page.ts";
import { makeParseCaches, openSite, type Site } from "../site/site.ts";
import { catalog, entryOf } from "./catalog.ts";
import type {
  BrowserCase,
  Expected,
  PageCase,
  PageFixture,
  SiteCase,
  SiteFixture,
} from "./fixture.ts";
import { loadChecks } from "./load.ts";

type Kind = "page" | "site" | "browser";

let folder: TempFolder;
let sites = 0;
beforeAll(async () => {
  folder = await tempFolder();
  await writeSite(`${folder.path}/base`, base);
});
afterAll(() => folder.remove());

async function fixturesOf<F>(kind: Kind): Promise<F> {
  const at = new URL(`./${kind}/`, import.meta.url);
  const names = readdirSync(at).filter((name) => name.endsWith(".fixture.ts"));
  const modules = await Promise.all(
    names.map((name) => import(new URL(name, at).href) as Promise<{ cases: object }>),
  );
  return Object.assign({}, ...modules.map(({ cases }) => cases)) as F;
}

/** The page of a case. */
function htmlOf({ at = "/t/", html, swap, main = "", head = "" }: PageCase): string {
  if (html !== undefined) return html;
  if (swap) return goodPage(at, undefined, head).replace(...(swap as [string, string]));
  return goodPage(at, `<h1>Title</h1>${main}`, head);
}

const base = {
  "index.html": goodPage("/"),
  "about/index.html": goodPage("/about/", `<h1 id="top-of-it">About</h1><p>Me.</p>`),
  "old/index.html": `<!doctype html><title>Moved</title><meta http-equiv="refresh" content="0;url=/about/">`,
  "site.css": goodStyle,
  "p.png": "png",
  "empty.png": "",
  "favicon.ico": "ico",
  "sitemap-0.xml": "<urlset><url><loc>https://example.com/about/</loc></url></urlset>",
};

/** A small site without faults, with the page of a case in it. */
async function siteOf(page: PageCase): Promise<{ site: Site; page: Page }> {
  const { at = "/t/", responses } = page;
  const own = {
    [`${at.slice(1)}index.html`]: htmlOf(page),
    ...(page.files as Record<string, string | Buffer> | undefined),
  };
  const name = `${++sites}`;
  await writeSite(`${folder.path}/${name}`, own);
  const redirects = { "/old/": "/about/", ...page.redirects };
  const manifest = manifestOf({ ...base, ...own }, redirects);
  // What all cases share is written once.
  for (const entry of Object.values(manifest.files)) {
    entry.file = `${Object.hasOwn(own, entry.file) ? name : "base"}/${entry.file}`;
  }
  const built = openSite(folder.path, manifest, makeParseCaches());
  const site = responses ? siteResponding(built, responses) : built;
  if (page.forbiddenTexts) site.forbiddenTexts = page.forbiddenTexts;
  const read = site.page(at);
  if (!read) throw new Error(`There is no page at ${at}.`);
  return { site, page: read };
}

/** What one check finds in a case. */
async function checkCase(check: Check, one: PageCase): Promise<Finding[]> {
  const { site, page } = await siteOf(one);
  const found = [...check.run(page, site)].map((seen) => toFinding(check, page.path, seen));
  return [...new Map(found.map((finding) => [finding.fingerprint, finding])).values()];
}

const pageFixtures = await fixturesOf<PageFixture>("page");
const siteFixtures = await fixturesOf<SiteFixture>("site");
const browserFixtures = await fixturesOf<Record<string, { bad: []; good: [] }>>("browser");
const pageChecks = await loadChecks("page");
const siteChecks = await loadChecks("site");
const browserChecks = await loadChecks("browser");

/** The same keys of an object as another has. */
function alikeKeys(of: Evidence, keys: Evidence): Evidence {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, of[key] ?? null]));
}

/** What is found in a bad case beside what is expected of it. */
function held(found: readonly Finding[], expected: Expected) {
  const { count = 1, evidence = {}, message: says = "", ...more } = expected;
  const { safe, severity, target, page } = more;
  const [first] = found;
  const own = (name: "severity" | "target" | "page") =>
    more[name] === undefined ? undefined : first?.[name];
  const reported = {
    messages: found.map(({ message }) => message),
    evidence: alikeKeys(first?.evidence ?? {}, evidence),
    says: first?.message.includes(says),
    isSentence: /[.?”]$/.test(first?.message ?? ""),
    // A repair that nobody looks at is only for checks that the catalog says so of.
    maySo: first?.isSafe !== true || entryOf(first.check)?.safe,
    safe: safe === undefined ? undefined : first?.isSafe,
    severity: own("severity"),
    target: own("target"),
    page: own("page"),
  };
  const messages: unknown = expect.toSatisfy(
    (list: string[]) => list.length === count,
    `${count} messages`,
  );
  const good = { evidence, says: true, isSentence: true, maySo: true };
  return { told: reported, wanted: { messages, ...good, safe, severity, target, page } };
}

const titled = <C extends { why?: string }>(cases: readonly C[], otherwise: (c: C) => string) =>
  cases.map((one, at) => [`${at + 1} ${(one.why ?? otherwise(one)).slice(0, 70)}`, one] as const);

describe("the catalog", () => {
  test("every check has a fixture, and every fixture a check", () => {
    const ids = (checks: readonly CheckKind[]) => checks.map(({ id }) => id).toSorted();
    expect(Object.keys(pageFixtures).toSorted()).toEqual(ids(pageChecks));
    expect(Object.keys(siteFixtures).toSorted()).toEqual(ids(siteChecks));
    expect(Object.keys(browserFixtures).toSorted()).toEqual(ids(browserChecks));
  });

  const all: readonly CheckKind[] = [...pageChecks, ...siteChecks, ...browserChecks];
  test.each(all.map((check) => [check.id, check] as const))("%s is in the catalog", (_, check) => {
    const entry = entryOf(check.id);
    expect(entry, "checks/catalog.ts lacks it").toBeDefined();
    const { category, severity, critical = false } = check;
    const reported = entry?.severity === "by impact" ? "by impact" : severity;
    expect({ category, severity: reported, critical }).toEqual({
      category: entry?.category,
      severity: entry?.severity,
      critical: entry?.critical,
    });
    // Whether a finding is safe depends on the case; one that always is must be by the catalog.
    expect(check.safe !== true || entry?.safe).toBe(true);
  });

  test("every check in it exists and has a title", () => {
    const made = new Set(all.map(({ id }) => id));
    const missing = [...catalog.keys()].filter((id) => !made.has(id) && id !== "a11y.axe.*");
    expect(missing).toEqual([]);
    for (const { title } of catalog.values()) expect(title).toMatch(/^\S.{5,}\S$/);
  });
});

describe("pages", () => {
  for (const check of pageChecks) {
    const { bad = [], good = [] } = pageFixtures[check.id] ?? {};
    const shown = (one: PageCase) =>
      one.main ?? one.head ?? String(one.swap?.[1] ?? one.html ?? "");
    test.each(titled(bad, shown))(`${check.id}: bad %s`, async (_, one) => {
      const { told: reported, wanted } = held(await checkCase(check, one), one);
      expect(reported).toEqual(wanted);
    });
    test.each(titled(good, shown))(`${check.id}: good %s`, async (_, one) => {
      expect(await checkCase(check, one)).toEqual([]);
    });
  }

  test("a page without defects has no findings", async () => {
    const words = "<p>Words that say what is to be seen here, and why anybody should care.</p>";
    const html = goodPage("/t/", `<h1>Title</h1>${words.repeat(8)}`);
    const changed = html.replace("What is at /t/", "What there is to be seen at this address.");
    const { site, page } = await siteOf({ html: changed });
    expect(runPageChecks(page, site, { fallbacks: true })).toEqual({ findings: [], failures: [] });
  });
});

const noProbes = { entries: [] as readonly unknown[] } as Probes;

describe("sites", () => {
  for (const check of siteChecks) {
    const look = (one: SiteCase) =>
      [...check.run(crawlOf(one), { ...noProbes, ...one.probes })].map((seen) =>
        toFinding(check, seen.page, seen),
      );
    const { bad = [], good = [] } = siteFixtures[check.id] ?? {};
    const shown = (one: SiteCase) => Object.keys(one.responses).join(" ");
    test.each(titled(bad, shown))(`${check.id}: bad %s`, (_, one) => {
      const { told: reported, wanted } = held(look(one), one);
      expect(reported).toEqual(wanted);
    });
    test.each(titled(good, shown))(`${check.id}: good %s`, (_, one) => {
      expect(look(one)).toEqual([]);
    });
  }
});

describe("browser", () => {
  for (const check of browserChecks) {
    const look = ({ visit }: BrowserCase) => {
      const seen = visitOf(visit);
      return [...check.run(seen)].map((one) => toFinding(check, seen.page, one));
    };
    const { bad = [], good = [] } =
      (
        browserFixtures as Record<
          string,
          { bad: readonly (BrowserCase & Expected)[]; good: readonly BrowserCase[] }
        >
      )[check.id] ?? {};
    const shown = () => check.id;
    test.each(titled(bad, shown))(`${check.id}: bad %s`, (_, one) => {
      const { told: reported, wanted } = held(look(one), one);
      expect(reported).toEqual(wanted);
    });
    test.each(titled(good, shown))(`${check.id}: good %s`, (_, one) => {
      expect(look(one)).toEqual([]);
    });
  }
});
