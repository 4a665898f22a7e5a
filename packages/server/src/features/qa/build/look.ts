import { LRUCache } from "lru-cache";
import type { Finding } from "vitrine-qa/src/finding.ts";
import { runPageChecks } from "vitrine-qa/src/checks/run-page-checks.ts";
import { isRedirectPage, type Page } from "vitrine-qa/src/page/page.ts";
import { type Substance, substanceOf } from "vitrine-qa/src/page/substance.ts";
import type { Site } from "vitrine-qa/src/site/site.ts";
import { weigh } from "./weight.ts";

/** What one look at a page came to. */
export interface PageLook {
  findings: readonly Finding[];
  /** What a first visit loads, in bytes. */
  bytes: number;
  /** How much there is to see; null for a page that only leads on, or was not looked into. */
  substance: Substance | null;
  /** Checks that failed themselves. */
  failures: readonly string[];
}

/** Looks that were taken: a page of the same site looks the same again. */
export type LookCache = LRUCache<string, PageLook>;

export function makeLookCache(): LookCache {
  // A look is some kilobytes; a thousand pages of two sites are kept.
  return new LRUCache({ max: 2000 });
}

/** A page that could not be looked into is told as such, never as good. */
function notChecked(path: string, why: string, cause?: string): Finding {
  return {
    check: "page.not-checked",
    category: "pages",
    severity: "notice",
    page: path,
    target: null,
    message: `This page was not checked: ${why}.`,
    ...(cause !== undefined && { cause }),
    fingerprint: `page.not-checked ${path}`,
    evidence: {},
    safe: false,
    critical: false,
    confidence: "review",
    place: { selector: "", line: null, text: "" },
  };
}

const substanceAt = (page: Page): Substance | null =>
  isRedirectPage(page) ? null : substanceOf(page);

function weight(page: Page, site: Site, failures: string[]): number {
  try {
    return weigh(page, site);
  } catch (error) {
    failures.push(`the weight of ${page.path}: ${String(error)}`);
    return 0;
  }
}

function lookNow(site: Site, path: string): PageLook {
  const page = site.page(path);
  if (!page) {
    const why = site.unread(path) ?? "it can’t be read";
    return { findings: [notChecked(path, why)], bytes: 0, substance: null, failures: [] };
  }
  const { findings, failures } = runPageChecks(page, site, { standIns: true, build: true });
  const bytes = weight(page, site, failures);
  return { findings, bytes, substance: substanceAt(page), failures };
}

/** Looks at a page of a site with every check; a look that was taken before is taken again as it is. */
export function lookAt(site: Site, path: string, cache: LookCache): PageLook {
  const key = `${site.sha} ${path}`;
  const known = cache.get(key);
  if (known) return known;
  const look = lookNow(site, path);
  cache.set(key, look);
  return look;
}

/** Why a page is only glanced at. */
export type Unlooked = "stalled" | "late" | "beyond";

const unlooked: Readonly<Record<Unlooked, string>> = {
  stalled: "it takes too long",
  late: "there was no time left",
  beyond: "the build changes too many pages",
};

/** The little that is looked at where there are no checks: whether there is anything to see. */
export function glanceAt(site: Site, path: string): PageLook {
  const page = site.page(path);
  const substance = page ? substanceAt(page) : null;
  return { findings: [], bytes: 0, substance, failures: [] };
}

/** A glance at a page that would be looked at, were it not for `why`; that it was not is told. */
export function unlookedAt(site: Site, path: string, why: Unlooked): PageLook {
  const cause = why === "stalled" ? undefined : why;
  return { ...glanceAt(site, path), findings: [notChecked(path, unlooked[why], cause)] };
}
