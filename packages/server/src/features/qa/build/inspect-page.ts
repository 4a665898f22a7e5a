import { LRUCache } from "lru-cache";
import type { Finding } from "vitrine-qa/src/finding.ts";
import { runPageChecks } from "vitrine-qa/src/checks/run-page-checks.ts";
import type { Page } from "vitrine-qa/src/page/page.ts";
import { isRedirectPage } from "vitrine-qa/src/page/refresh.ts";
import { type VisibleSize, visibleSizeOf } from "vitrine-qa/src/page/visible-size.ts";
import type { Site } from "vitrine-qa/src/site/site.ts";
import { measurePageWeight } from "./weight.ts";

/** The result of inspecting a page. */
export interface PageInspection {
  findings: readonly Finding[];
  /** Bytes loaded on a first visit. */
  bytes: number;
  /** How much is visible; null for a redirect, or if the page wasn't inspected. */
  visibleSize: VisibleSize | null;
  /** Checks that failed themselves. */
  failures: readonly string[];
}

/** Cached results: the same page of the same site has the same result. */
export type PageInspectionCache = LRUCache<string, PageInspection>;

export function makePageInspectionCache(): PageInspectionCache {
  // A result takes a few kilobytes; a thousand pages of two sites are cached.
  return new LRUCache({ max: 2000 });
}

/** Reports a page that couldn't be inspected as unchecked, never as good. */
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
    placeFingerprint: `page.not-checked ${path}`,
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

/** Runs every check on a page of a site; uses the cached result if there is one. */
export function inspectPage(site: Site, path: string, cache: PageInspectionCache): PageInspection {
  const key = `${site.sha} ${path}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const inspection = inspectPageUncached(site, path);
  cache.set(key, inspection);
  return inspection;
}

/** Why a page is only checked briefly. */
export type SkipReason = "stalled" | "late" | "beyond";

const skipReasons: Readonly<Record<SkipReason, string>> = {
  stalled: "it takes too long",
  late: "no time was left",
  beyond: "the build changes too many pages",
};

/** A minimal inspection without checks: whether anything is visible. */
export function inspectPageBriefly(site: Site, path: string): PageInspection {
  const page = site.page(path);
  const visibleSize = page ? visibleSizeOfPage(page) : null;
  return { findings: [], bytes: 0, visibleSize: visibleSize, failures: [] };
}

/** A brief inspection of a page that can't be checked because of `why`, which is reported. */
export function inspectPageSkipping(site: Site, path: string, why: SkipReason): PageInspection {
  const cause = why === "stalled" ? undefined : why;
  return {
    ...inspectPageBriefly(site, path),
    findings: [notChecked(path, skipReasons[why], cause)],
  };
}
