import type { QaLimits } from "../limits.ts";
import type { EngineJob, SiteCache, CachedExternal } from "../engine/job.ts";
import type { Crawl } from "./crawl.ts";
import type { Fetcher } from "./fetcher.ts";
import { makeExternalLinks, type ExternalLinks } from "./external-links.ts";

export interface CrawlOptions {
  start: string;
  /** Absolute addresses to request in addition to those on pages, such as those of the sitemap. */
  seeds: readonly string[];
  fetcher: Fetcher;
  limits: QaLimits;
  cache: SiteCache;
  /** The version of the engine: after an update, nothing counts as unchanged. */
  engine: string;
  full: boolean;
  external: EngineJob["external"];
  /** ISO 8601. */
  now: string;
  signal: AbortSignal;
  /** Whether `/admin`, `/api` … belong to Vitrine; default: true. */
  program?: boolean;
  onProgress(
    step: "crawling" | "external",
    done: number,
    total: number | null,
    at: string | null,
  ): void;
}

export interface CrawlResult {
  /**
   * If unchanged: without pages; references only of known external addresses; external responses.
   */
  crawl: Crawl;
  unchanged: boolean;
  cache: SiteCache;
  /** External addresses that were not requested this time. */
  uncheckedExternals: string[];
  /**
   * How many external addresses were requested without success, because the network seems to be
   * down.
   */
  unreached: number;
  /** Paths of the visited pages, including unchanged ones. */
  visited: string[];
  /** Deletes what is kept on disk. */
  close(): void;
}

/** Shares of the run's time: for the site, and for the site together with external addresses. */
export const timeShares = { site: 0.8, all: 0.95 } as const;

/** An address without its fragment, as requested. */
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

/** Aborts after a share of the run's time, or with the run. */
export function timeShare({ limits, signal }: CrawlOptions, share: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(limits.seconds * 1000 * share))]);
}

export const byUrl = (known: readonly CachedExternal[]): Map<string, CachedExternal> =>
  new Map(known.map((external) => [external.url, external]));
