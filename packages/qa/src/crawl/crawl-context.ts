import type { QaLimits } from "../limits.ts";
import type { EngineJob, SiteCache, CachedExternal } from "../engine/job.ts";
import type { Crawl } from "./crawl.ts";
import type { Fetcher } from "./fetcher.ts";
import { makeExternalLinks, type ExternalLinks } from "./external-links.ts";

export interface CrawlOptions {
  start: string;
  /** Absolute addresses that are asked besides what pages lead to, such as those of the sitemap. */
  seeds: readonly string[];
  fetcher: Fetcher;
  limits: QaLimits;
  cache: SiteCache;
  /** The version of what looks at the site: with another one nothing counts as unchanged. */
  engine: string;
  full: boolean;
  external: EngineJob["external"];
  /** ISO 8601. */
  now: string;
  signal: AbortSignal;
  /** Whether `/admin`, `/api` … are this program's; left out: they are. */
  program?: boolean;
  onProgress(
    step: "crawling" | "external",
    done: number,
    total: number | null,
    at: string | null,
  ): void;
}

export interface CrawlResult {
  /** Unchanged: without pages, references only of known addresses of others, answers of others. */
  crawl: Crawl;
  unchanged: boolean;
  cache: SiteCache;
  /** Addresses of others that were not asked this time. */
  uncheckedExternals: string[];
  /** How many of others were asked in vain, because the network seems to be down. */
  unreached: number;
  /** Paths of the pages that were looked at, also those that had not changed. */
  visited: string[];
  /** Lets go of what is kept on disk. */
  close(): void;
}

/** Parts of the time that there is: for the site, and for the site and strangers. */
export const timeShares = { site: 0.8, all: 0.95 } as const;

/** An address without its fragment: what is asked. */
export function keyOf(url: string): string {
  const at = url.indexOf("#");
  return at === -1 ? url : url.slice(0, at);
}

export function makeExternalLinksFor(options: CrawlOptions): ExternalLinks {
  const { fetcher, external, cache, limits, now, onProgress } = options;
  return makeExternalLinks({
    fetcher,
    external,
    cached: cache.externals,
    maxLinks: limits.externals,
    now: Date.parse(now),
    onProgress: (done, total, at) => onProgress("external", done, total, at),
  });
}

/** Ends after some of the run's time, or with the run. */
export function timeShare({ limits, signal }: CrawlOptions, share: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(limits.seconds * 1000 * share))]);
}

export const byUrl = (known: readonly CachedExternal[]): Map<string, CachedExternal> =>
  new Map(known.map((external) => [external.url, external]));
