import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTrapSite, type TrapSite } from "../../../../test/support/trap-site.ts";
import { defaultQaLimits } from "../limits.ts";
import type { SiteCache } from "../engine/job.ts";
import type { CrawlResponse } from "./crawl.ts";
import { type CrawlResult, crawlSite } from "./crawl-site.ts";
import { type Fetcher, makeFetcher } from "./fetcher.ts";

let site: TrapSite;
let fetcher: Fetcher;
let crawled: CrawlResult;

const nothing: SiteCache = { site: null, resources: [], externals: [] };

beforeAll(async () => {
  site = await startTrapSite();
  const { signal } = new AbortController();
  const limits = { ...defaultQaLimits, phaseSeconds: 8, seconds: 120, bodyMiB: 1 };
  fetcher = makeFetcher({
    origin: site.origins.own,
    connect: null,
    limits,
    signal,
    allow: site.allow,
    resolve: site.resolve,
  });
  crawled = await crawlSite({
    start: site.start,
    seeds: [],
    fetcher,
    limits,
    cache: nothing,
    engine: "1",
    full: false,
    external: "all",
    now: new Date().toISOString(),
    signal,
    onProgress() {},
  });
}, 150_000);

afterAll(async () => {
  crawled?.close();
  await fetcher?.close();
  await site?.[Symbol.asyncDispose]();
});

/** What of an answer a case says something of. */
function shown(response: CrawlResponse | undefined, expected: object): object {
  if (!response) return { verdict: "none" };
  const { verdict, status, failure, hops, truncated, sniffed, attempts } = response;
  const all = {
    verdict,
    status,
    phase: failure?.phase,
    code: failure?.code,
    hops: hops.length,
    truncated,
    sniffed,
    attempts: attempts.length,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in expected));
}

describe("every trap gets its expected verdict", () => {
  test("there are at least 70 of them, and the crawl comes to its end", () => {
    expect(site.cases.length).toBeGreaterThanOrEqual(70);
    expect(crawled.crawl.complete).toBe(true);
  });

  test("each as expected", () => {
    const wrong = site.cases.flatMap(({ name, url, expected }) => {
      const response = crawled.crawl.responses.get(url);
      const found = shown(response, expected) as Record<string, unknown>;
      const differs = Object.entries(expected).some(([key, value]) =>
        value instanceof RegExp ? !value.test(String(found[key])) : found[key] !== value,
      );
      return differs ? [{ name, expected, found, reason: response?.reason }] : [];
    });
    expect(wrong).toEqual([]);
  });
});
