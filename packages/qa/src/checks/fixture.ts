import type { Visit } from "../browser/visit.ts";
import type { Evidence, Severity } from "../finding.ts";
import type { CrawlResponse } from "../crawl/crawl.ts";
import type { CachedExternal } from "../engine/job.ts";
import type { Probes } from "../probe/probes.ts";

/** What a check is expected to report for a case. */
export interface Expected {
  /** The number of findings of this check; 1 if left out. */
  count?: number;
  /** Evidence that the first finding must contain, compared exactly. */
  evidence?: Evidence;
  safe?: boolean;
  severity?: Severity;
  target?: string | null;
  /** The page that the finding is reported on. */
  page?: string;
  /** A part of the message. */
  message?: string;
}

/**
 * A page at `/t/` of a small site without defects. One of `html`, `swap`, and `main` is given: the
 * whole page, replacements in a good page, or the content of its main element.
 */
export interface PageCase {
  /** Why it is good or bad, if that isn't obvious. */
  why?: string;
  /** The path of the page, instead of `/t/`. */
  at?: string;
  main?: string;
  /** Texts that no page may show. */
  forbiddenTexts?: readonly string[];
  /** Added to the head. */
  head?: string;
  swap?: readonly [what: string | RegExp, by: string];
  html?: string;
  /** Other files of the site, by their paths in its folder: `about/index.html`. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Redirects, besides `/old/`, which leads to `/about/`. */
  redirects?: Readonly<Record<string, string>>;
  /** Makes it a crawled site: the responses at these paths; `/t/` is the page itself. */
  responses?: Readonly<Record<string, Partial<CrawlResponse>>>;
}

/** A response of the site: a page with this HTML, or the given properties. */
export type ResponseFixture =
  | string
  | (Partial<CrawlResponse> & {
      body?: string;
      /** The content type; HTML if left out. */
      type?: string;
      /** The target of a redirect, with `status` 301 unless it is given. */
      to?: string;
    });

/**
 * A site as its HTTP responses: by path for the site `https://example.com`, by address for others.
 */
export interface SiteCase {
  why?: string;
  responses: Readonly<Record<string, ResponseFixture>>;
  /** The history of external addresses, including this crawl. */
  externals?: Readonly<Record<string, Partial<CachedExternal>>>;
  probes?: Partial<Probes>;
  /** By folder: the page that it returns, with status 200, for paths that don't exist. */
  baselines?: Readonly<Record<string, string>>;
  /** Paths in the sitemap, requested in addition to what the start page links to. */
  sitemap?: readonly string[];
  /** An origin other than https://example.com. */
  origin?: string;
}

/** A page as a browser showed it; anything left out is empty. */
export interface BrowserCase {
  why?: string;
  visit: Partial<Visit>;
}

interface Cases<C> {
  /** Cases that have the defect. */
  bad: readonly (C & Expected)[];
  /** Near misses without the defect. */
  good: readonly C[];
}

/** The cases of the checks of one file, by their ids: `export const cases: PageFixture = {…}`. */
export type PageFixture = Readonly<Record<string, Cases<PageCase>>>;
export type SiteFixture = Readonly<Record<string, Cases<SiteCase>>>;
export type BrowserFixture = Readonly<Record<string, Cases<BrowserCase>>>;
