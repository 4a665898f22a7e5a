import type { EngineJob, CachedExternal } from "../engine/job.ts";
import type { CrawlResponse, Reference } from "./crawl.ts";
import { isDue, updateStatus, isOutage, occurrencesOf } from "./external-status.ts";
import type { Fetcher } from "./fetcher.ts";

export interface ExternalLinksOptions {
  fetcher: Fetcher;
  external: EngineJob["external"];
  cached: readonly CachedExternal[];
  /** The maximum number of external addresses to request. */
  maxLinks: number;
  /** In ms. */
  now: number;
  onProgress: (done: number, total: number, at: string) => void;
}

export interface ExternalLinks {
  /** Requests an external address, once, if it is due. */
  enqueue(url: string): void;
  responseOf(url: string): CrawlResponse | undefined;
  /**
   * Resolves when all have responded, or when `signal` aborts: the rest counts as not requested.
   */
  waitForAll(signal: AbortSignal): Promise<void>;
  /** What is known now of all external addresses, and which of them were not requested. */
  result(from: (url: string) => readonly Reference[]): {
    responses: Map<string, CrawlResponse>;
    cached: CachedExternal[];
    unasked: string[];
    /**
     * How many were requested without success because no host could be reached: they count as not
     * requested.
     */
    unreached: number;
  };
}

/** Checks external links, on many hosts at once, while the site itself is still being crawled. */
export function makeExternalLinks(options: ExternalLinksOptions): ExternalLinks {
  const { fetcher, external, now } = options;
  const before = new Map(options.cached.map((known) => [known.url, known]));
  const met = new Set<string>();
  const requests = new Map<string, Promise<void>>();
  let responses = new Map<string, CrawlResponse>();
  let unreached: readonly CrawlResponse[] = [];
  let isOver = false;

  const isWanted = (url: string) =>
    external !== "none" &&
    requests.size < options.maxLinks &&
    (external === "all" || isDue(before.get(url), now));

  const ask = async (url: string): Promise<void> => {
    const response = await fetcher.external(url, before.get(url));
    if (isOver || response.failure?.code === "ABORTED") return;
    responses.set(url, response);
    options.onProgress(responses.size, requests.size, url);
  };

  return {
    enqueue(url) {
      if (met.has(url)) return;
      met.add(url);
      if (isWanted(url)) requests.set(url, ask(url));
    },
    responseOf: (url) => responses.get(url),
    async waitForAll(signal) {
      if (!signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const end = () => resolve();
        signal.addEventListener("abort", end, { once: true });
        await Promise.race([Promise.all(requests.values()), promise]);
        signal.removeEventListener("abort", end);
      }
      isOver = true;
      if (!isOutage([...responses.values()])) return;
      unreached = [...responses.values()];
      responses = new Map();
    },
    result(from) {
      const known: CachedExternal[] = [];
      const unasked: string[] = [];
      for (const url of met) {
        const response = responses.get(url);
        const last = before.get(url);
        const references = from(url);
        const places = references.length > 0 ? occurrencesOf(references) : (last?.from ?? []);
        if (response) known.push(updateStatus(last, response, now, places));
        else if (last) {
          known.push({ ...last, from: places });
          unasked.push(url);
        }
      }
      // New addresses are stored, to be requested once there is a network.
      for (const response of unreached.filter(({ url }) => !before.has(url))) {
        const untried = { ...response, verdict: "unknown" as const };
        known.push(updateStatus(undefined, untried, 0, occurrencesOf(from(response.url))));
      }
      return { responses, cached: known, unasked, unreached: unreached.length };
    },
  };
}
