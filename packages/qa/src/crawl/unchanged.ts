import { LRUCache } from "lru-cache";
import type { SiteCache, CachedResource } from "../engine/job.ts";
import { openCrawl } from "../site/crawled-site.ts";
import { pathNameOf } from "./addresses.ts";
import type { Crawl } from "./crawl.ts";
import {
  byUrl,
  type CrawlResult,
  type CrawlOptions,
  keyOf,
  makeExternalLinksFor,
  timeShares,
  timeShare,
} from "./crawl-context.ts";
import { referencesFrom } from "./external-status.ts";
import type { Fetcher } from "./fetcher.ts";
import { isSame } from "./site-cache.ts";

/**
 * Checks with conditional requests whether the site is as the last run left it; stops at the first
 * address that has changed. Nothing is parsed.
 */
export async function isUnchanged(
  resources: SiteCache["resources"],
  fetcher: Fetcher,
  connections: number,
  signal: AbortSignal,
  onProgress: (done: number, total: number, at: string) => void,
): Promise<boolean> {
  let next = 0;
  let same = true;
  const slot = async () => {
    while (same && !signal.aborted && next < resources.length) {
      const known = resources[next++] as CachedResource;
      const { answer: response } = await fetcher.own(known.url, { follow: false, cached: known });
      if (!isSame(known, response)) same = false;
      onProgress(next, resources.length, known.url);
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, resources.length) }, slot));
  return same && !signal.aborted;
}

/** The crawl of an unchanged site: only external links are requested. */
export async function unchangedCrawl(options: CrawlOptions): Promise<CrawlResult> {
  const { cache, start } = options;
  const externalLinks = makeExternalLinksFor(options);
  for (const { url } of cache.externals) externalLinks.enqueue(url);
  await externalLinks.waitForAll(timeShare(options, timeShares.all));
  const references = referencesFrom(cache.externals);
  const byKey = Map.groupBy(references, ({ url }) => keyOf(url));
  const outside = externalLinks.result((url) => byKey.get(url) ?? []);
  const pages = cache.resources.filter(({ kind, status }) => kind === "page" && status === 200);
  const { origin } = new URL(pages[0]?.url ?? start);
  const site = openCrawl({
    origin,
    sha: cache.site?.key ?? "",
    resources: new Map(),
    body: () => undefined,
    pages: new Map(),
    sheets: new LRUCache({ max: 1 }),
    isProgram: () => false,
    listed: [],
  });
  const crawl: Crawl = {
    start,
    origin,
    site,
    pages: new Map(),
    responses: outside.responses,
    references,
    referencesTo: (url) => byKey.get(keyOf(url)) ?? [],
    isOwn: (url) => URL.parse(url)?.origin === origin,
    page: () => undefined,
    text: () => undefined,
    baselineOf: () => undefined,
    externals: byUrl(outside.cached),
    complete: true,
  };
  return {
    crawl,
    unchanged: true,
    cache: { ...cache, externals: outside.cached },
    uncheckedExternals: outside.unasked,
    unreached: outside.unreached,
    visited: pages.map(({ url }) => pathNameOf(new URL(url))),
    close: () => {},
  };
}
