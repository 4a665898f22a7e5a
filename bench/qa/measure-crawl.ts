import { crawlSite } from "../../packages/qa/src/crawl/crawl-site.ts";
import type { Crawl } from "../../packages/qa/src/crawl/crawl.ts";
import { makeFetcher } from "../../packages/qa/src/crawl/fetcher.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { MeasureOptions, Outcome } from "./outcome.ts";

/** The broken addresses that a crawl alone finds among links, fragments, images, and files. */
function faultsOf(crawl: Crawl): string[] {
  const found = new Set<string>();
  const places = new Map(
    [...crawl.pages.values()].map(({ url, facts }) => [url, facts.fragmentTargets]),
  );
  for (const { kind, url } of crawl.references) {
    const [address = url, fragment = ""] = url.split("#");
    const response = crawl.responses.get(address);
    if (!response) continue;
    const isImage = kind === "image" || kind === "srcset" || kind === "css";
    if (response.verdict === "broken") found.add(url);
    else if (isImage && response.verdict === "ok" && !response.image) found.add(url);
    else if (kind === "link" && fragment !== "") {
      const there = places.get(response.finalUrl);
      if (there && !there.has(decodeURIComponent(fragment))) found.add(url);
    }
  }
  return [...found];
}

/** Crawls, then checks links, fragments, and images. */
export async function measureCrawl({ origin }: MeasureOptions): Promise<Outcome> {
  const limits = defaultLimits.qa;
  const { signal } = new AbortController();
  const fetcher = makeFetcher({ origin, connect: null, limits, signal });
  const crawled = await crawlSite({
    start: `${origin}/`,
    seeds: [],
    fetcher,
    limits,
    cache: { site: null, resources: [], externals: [] },
    engine: "bench",
    full: true,
    external: "none",
    now: new Date().toISOString(),
    program: false,
    signal,
    onProgress() {},
  });
  const found = faultsOf(crawled.crawl).map((url) => url.replace(origin, ""));
  const pages = crawled.crawl.pages.size;
  crawled.close();
  await fetcher.close();
  return { found, pages };
}
