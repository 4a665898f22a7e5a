import type { Visit } from "../browser/visit.ts";
import type { Evidence, Severity } from "../finding.ts";
import type { CrawlResponse } from "../crawl/crawl.ts";
import type { CachedExternal } from "../engine/job.ts";
import type { Probes } from "../probe/probes.ts";

/** What a check is expected to say of a case. */
export interface Expected {
  /** How many findings of this check; 1 where it is left out. */
  count?: number;
  /** Of the first finding: these of its evidence, exactly. */
  evidence?: Evidence;
  safe?: boolean;
  severity?: Severity;
  target?: string | null;
  /** The page that it is told at. */
  page?: string;
  /** A part of the message. */
  message?: string;
}

/**
 * A page at `/t/` of a small site without faults. Of `html`, `swap` and `main` one is given: the whole
 * page, what of a good page is replaced by what, or what is put into its main part.
 */
export interface PageCase {
  /** Why it is good or bad, where that isn't plain. */
  why?: string;
  /** Where the page is, instead of `/t/`. */
  at?: string;
  main?: string;
  /** Texts that no page may show. */
  forbiddenTexts?: readonly string[];
  /** Put into the head as well. */
  head?: string;
  swap?: readonly [what: string | RegExp, by: string];
  html?: string;
  /** Other files of the site, by their paths below its folder: `about/index.html`. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Paths that lead to others, besides `/old/`, which leads to `/about/`. */
  redirects?: Readonly<Record<string, string>>;
  /** Makes it a crawled site: what came back for these paths, `/t/` the page itself. */
  responses?: Readonly<Record<string, Partial<CrawlResponse>>>;
}

/** One answer of a site: a page of this HTML, or whatever is told of it. */
export type ResponseFixture =
  | string
  | (Partial<CrawlResponse> & {
      body?: string;
      /** What the browser is told it is; HTML where it is left out. */
      type?: string;
      /** Where it leads, with `status` 301 unless another is told. */
      to?: string;
    });

/** A site as HTTP answers: by path for the site `https://example.com`, by address for others. */
export interface SiteCase {
  why?: string;
  responses: Readonly<Record<string, ResponseFixture>>;
  /** What is known of others' addresses, this time included. */
  externals?: Readonly<Record<string, Partial<CachedExternal>>>;
  probes?: Partial<Probes>;
  /** Of folders: the page that they answer with, and 200, where nothing is. */
  baselines?: Readonly<Record<string, string>>;
  /** Known from the sitemap: asked for besides what is linked from the start. */
  sitemap?: readonly string[];
  /** Another origin than https://example.com. */
  origin?: string;
}

/** A page as a browser showed it; what is left out is empty. */
export interface BrowserCase {
  why?: string;
  visit: Partial<Visit>;
}

interface Cases<C> {
  /** Each has the defect. */
  bad: readonly (C & Expected)[];
  /** Each comes close, and has none. */
  good: readonly C[];
}

/** The cases of the checks of one file, by their ids: `export const cases: PageFixture = {…}`. */
export type PageFixture = Readonly<Record<string, Cases<PageCase>>>;
export type SiteFixture = Readonly<Record<string, Cases<SiteCase>>>;
export type BrowserFixture = Readonly<Record<string, Cases<BrowserCase>>>;
