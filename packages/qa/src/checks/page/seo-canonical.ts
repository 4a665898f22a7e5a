import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { mainText } from "../../crawl/facts.ts";
import { printOf, simhashDistance } from "../../crawl/simhash.ts";
import { isNoindex, type Page } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";
import { readAddress, type Target } from "../../site/address.ts";
import type { PathEntry, Site } from "../../site/site.ts";
import { findResponse } from "../addresses.ts";
import { isSamePage, ownTarget } from "../canonical.ts";

function canonicalOf(page: Page, site: Site): { raw: string; target: Target } | null {
  const link = page
    .all("link")
    .find((element) =>
      (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/).includes("canonical"),
    );
  const raw = link && attribute(link, "href");
  return raw === undefined ? null : { raw, target: readAddress(raw, page.base, site.origin) };
}

/** Whether an address is the same on every page. */
const isAbsolute = (raw: string): boolean => /^\s*(?:https?:)?\//i.test(raw);

const silent = new WeakMap<ReturnType<Site["heads"]>, { at: string | undefined } | null>();

/**
 * The page on which a whole site without canonical addresses is reported, because that is how it
 * was built; null for other sites.
 */
function silentSite(site: Site): { at: string | undefined } | null {
  const heads = site.heads();
  const known = silent.get(heads);
  if (known !== undefined) return known;
  const listed = [...heads].filter(([, head]) => !head.isNoindex).map(([path]) => path);
  const says = [...heads.values()].some(({ canonical }) => canonical !== null);
  const found = says ? null : { at: listed.find((path) => path === "/") ?? listed[0] };
  silent.set(heads, found);
  return found;
}

/** Reports a listed page without a canonical address. */
export const seoCanonicalMissing: Check = {
  id: "seo.canonical-missing",
  category: "seo",
  severity: "warning",
  *run(page, site) {
    if (isNoindex(page) || isRedirectPage(page) || canonicalOf(page, site)) return;
    const none = silentSite(site);
    if (none && none.at !== page.path) return;
    yield {
      shared: true,
      // Without any, search engines choose one themselves, which only matters if pages have several.
      ...(none && { confidence: "review" as const }),
      evidence: { url: page.path },
      message: none
        ? "None of the site’s pages has a canonical address."
        : "The page has no canonical address.",
    };
  },
};

/** Why search engines can't use a canonical address; null if they can. */
function faultOf(page: Page, site: Site, target: Target): string | null {
  if (target.kind === "outside") return null;
  const place = target.kind === "inside" ? site.resolve(target.path, target.search) : undefined;
  if (!place) return "doesn’t lead to a page";
  if (place.kind === "redirect") return `redirects to ${place.to.slice(0, 120)}`;
  // An address that wasn't requested and isn't a file may well be fine.
  if (place.kind !== "file" || isNoindex(page)) return null;
  const heads = site.heads();
  const leavesOut = heads.get(place.path)?.isNoindex && !heads.get(page.path)?.isNoindex;
  return leavesOut ? "asks search engines not to index it" : null;
}

/** Reports a canonical address at which search engines find no page. */
export const seoCanonicalBroken: Check = {
  id: "seo.canonical-broken",
  category: "seo",
  severity: "error",
  *run(page, site) {
    const canonical = canonicalOf(page, site);
    if (!canonical) return;
    const { raw, target } = canonical;
    const fault = faultOf(page, site, target);
    if (fault === null) return;
    const noindex = fault.startsWith("asks");
    yield {
      target: raw,
      shared: isAbsolute(raw),
      evidence: { canonical: raw, ...findResponse(site, target), ...(noindex && { noindex }) },
      message: `The canonical address ${raw.slice(0, 120)} ${fault}.`,
    };
  },
};

/** Whether another page lists this one as a version of itself, such as one for phones. */
function isVersionOf(page: Page, site: Site, other: string): boolean {
  const whole = site.page(other);
  const links = whole?.all("link").filter((link) => {
    const rel = (attribute(link, "rel") ?? "").toLowerCase().split(/\s+/);
    // A translation stands for itself.
    return rel.includes("amphtml") || (rel.includes("alternate") && !("hreflang" in link.attribs));
  });
  return (links ?? []).some((link) => {
    const target = readAddress(attribute(link, "href") ?? "", whole?.base ?? other, site.origin);
    const own = ownTarget(target, site);
    return own.kind === "inside" && own.path + own.search === page.path;
  });
}

/**
 * Texts whose hashes differ in up to this many of 64 bits are the same, apart from a line or a few
 * words.
 */
const near = 10;

const prints = new WeakMap<Page, string>();

function printOfPage(page: Page): string {
  const found = prints.get(page) ?? printOf(mainText(page)).simhash;
  prints.set(page, found);
  return found;
}

/**
 * Whether another page has the same content as this one: canonical addresses are meant for such
 * copies. Null if only their heads are the same: a template may have given all pages one head.
 */
function isCopyOf(page: Page, site: Site, other: PathEntry & { kind: "file" }): boolean | null {
  if (other.file.hash === page.file.hash || isVersionOf(page, site, other.path)) return true;
  const [own, its] = [page.path, other.path].map((path) => site.heads().get(path));
  // If all pages have the same title and name the start page, that is an oversight.
  if (!own || !its || own.title === "" || other.path === "/") return false;
  if (own.title !== its.title || own.lang !== its.lang) return false;
  const whole = site.page(other.path);
  if (!whole) return null;
  return simhashDistance(printOfPage(page), printOfPage(whole)) <= near || null;
}

/** Reports a canonical address of another page: search engines leave this page out. */
export const seoCanonicalMismatch: Check = {
  id: "seo.canonical-mismatch",
  category: "seo",
  severity: "warning",
  *run(page, site) {
    const canonical = canonicalOf(page, site);
    if (!canonical || isNoindex(page) || isRedirectPage(page)) return;
    const { raw } = canonical;
    let isCopy: boolean | null = false;
    const target = ownTarget(canonical.target, site);
    // Reported by the checks for broken ones.
    if (faultOf(page, site, target) !== null) return;
    if (target.kind === "inside") {
      const name = target.path + target.search;
      const place = site.resolve(target.path, target.search);
      if (name === page.path || place?.kind !== "file") return;
      if (place.path === name && isSamePage(name, page.path)) return;
      isCopy = isCopyOf(page, site, place);
      if (isCopy) return;
    } else if (target.kind !== "outside" || site.origin === null) return;
    yield {
      target: raw,
      shared: isAbsolute(raw),
      evidence: { canonical: raw, url: page.path },
      ...(isCopy === null && { confidence: "review" }),
      message: `The page’s canonical address is ${raw.slice(0, 120)}, which isn’t its own.`,
    };
  },
};
