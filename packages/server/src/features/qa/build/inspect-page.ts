import { LRUCache } from "lru-cache";
import type { Finding } from "vitrine-qa/src/finding.ts";
import { runPageChecks } from "vitrine-qa/src/checks/run-page-checks.ts";
import { isRedirectPage, type Page } from "vitrine-qa/src/page/page.ts";
import { type VisibleSize, visibleSizeOf } from "vitrine-qa/src/page/visible-size.ts";
import type { Site } from "vitrine-qa/src/site/site.ts";
import { measurePageWeight } from "./weight.ts";

/** What one look at a page came to. */
export interface PageInspection {
  findings: readonly Finding[];
  /** What a first visit loads, in bytes. */
  bytes: number;
  /** How much there is to see; null for a page that only leads on, or was not looked into. */
  visibleSize: VisibleSize | null;
  /** Checks that failed themselves. */
  failures: readonly string[];
}

/** Looks that were taken: a page of the same site looks the same again. */
export type PageInspectionCache = LRUCache<string, PageInspection>;

export function makePageInspectionCache(): PageInspectionCache {
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
    message: `This page wasn't checked: ${why}.`,
    ...(cause !== undefined && { cause }),
    fingerprint: `page.not-checked ${path}`,
    evidence: {},
    isSafe: false,
    critical: false,
    confidence: "review",
    location: { selector: "", line: null, text: "" },
  };
}

const visibleSizeOfPage = (page: Page): VisibleSize | null =>
  isRedirectPage(page) ? null : visibleSizeOf(page);

function weight(page: Page, site: Site, failures: string[]): number {
  try {
    return measurePageWeight(page, site);
  } catch (error) {
    failures.push(`the weight of ${page.path}: ${String(error)}`);
    return 0;
  }
}

function inspectPageUncached(site: Site, path: string): PageInspection {
  const page = site.page(path);
  if (!page) {
    const why = site.unreadableReason(path) ?? "it can’t be read";
    return { findings: [notChecked(path, why)], bytes: 0, visibleSize: null, failures: [] };
  }
  const { findings, failures } = runPageChecks(page, site, { fallbacks: true, build: true });
  const bytes = weight(page, site, failures);
  return { findings, bytes, visibleSize: visibleSizeOfPage(page), failures };
}

/** Looks at a page of a site with every check; a look that was taken before is taken again as it is. */
export function inspectPage(site: Site, path: string, cache: PageInspectionCache): PageInspection {
  const key = `${site.sha} ${path}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const inspection = inspectPageUncached(site, path);
  cache.set(key, inspection);
  return inspection;
}

/** Why a page is only glanced at. */
export type SkipReason = "stalled" | "late" | "beyond";

const skipReasons: Readonly<Record<SkipReason, string>> = {
  stalled: "it takes too long",
  late: "no time was left",
  beyond: "the build changes too many pages",
};

/** The little that is looked at where there are no checks: whether there is anything to see. */
export function inspectPageBriefly(site: Site, path: string): PageInspection {
  const page = site.page(path);
  const visibleSize = page ? visibleSizeOfPage(page) : null;
  return { findings: [], bytes: 0, visibleSize: visibleSize, failures: [] };
}

/** A glance at a page that would be looked at, were it not for `why`; that it was not is told. */
export function inspectPageSkipping(site: Site, path: string, why: SkipReason): PageInspection {
  const cause = why === "stalled" ? undefined : why;
  return {
    ...inspectPageBriefly(site, path),
    findings: [notChecked(path, skipReasons[why], cause)],
  };
}
