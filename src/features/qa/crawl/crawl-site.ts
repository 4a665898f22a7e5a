import type { Limits } from "../../../platform/config.ts";
import type { EngineJob, Known } from "../engine/job.ts";
import type { Crawl } from "./crawl.ts";
import type { Fetcher } from "./fetcher.ts";

export interface CrawlOptions {
  start: string;
  /** Absolute addresses that are asked besides what pages lead to, such as those of the sitemap. */
  seeds: readonly string[];
  fetcher: Fetcher;
  limits: Limits["qa"];
  known: Known;
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

export interface Crawled {
  /** Unchanged: without pages, references only of known addresses of others, answers of others. */
  crawl: Crawl;
  unchanged: boolean;
  known: Known;
  /** Addresses of others that were not asked this time. */
  externalKept: string[];
  /** Paths of the pages that were looked at, also those that had not changed. */
  visited: string[];
  /** Lets go of what is kept on disk. */
  close(): void;
}

export function crawlSite(_options: CrawlOptions): Promise<Crawled> {
  throw new Error("not there yet");
}
