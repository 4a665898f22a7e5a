import type { SiteCheck } from "../../check.ts";
import type { CrawlResponse } from "../../crawl/crawl.ts";
import { ownResponses, pagesOf, pathOf, typeOf } from "../locations.ts";

/** In bytes: compressing less than this saves no packet. */
const minBytes = 2048;
const packable =
  /^text\/|javascript|json$|xml$|wasm$|^application\/(?:vnd\.ms-fontobject|x-font-ttf)$|^font\/(?:ttf|otf)$/;

const kindsOf = (type: string): string =>
  /html/.test(type)
    ? "Pages"
    : /css/.test(type)
      ? "Style sheets"
      : /javascript/.test(type)
        ? "Scripts"
        : "Texts";

/** Reports text that is sent uncompressed, although it would be a quarter of the size. */
export const perfNoCompression: SiteCheck = {
  id: "perf.no-compression",
  category: "performance",
  severity: "warning",
  scope: "site",
  *run(crawl) {
    const plain = [...ownResponses(crawl)].filter(([, response]) => {
      const { status, headers, bytes, wireBytes, notModified, truncated } = response;
      if (status !== 200 || notModified || truncated || bytes < minBytes) return false;
      const packed = headers["content-encoding"] ?? "identity";
      return (
        packable.test(typeOf(response)) &&
        /^(?:identity)?$/.test(packed) &&
        wireBytes >= bytes * 0.9
      );
    });
    for (const [kind, found] of Map.groupBy(plain, ([, response]) => kindsOf(typeOf(response)))) {
      const largest = found.toSorted(([, a], [, b]) => b.bytes - a.bytes);
      const [url = "", response] = largest[0] ?? [];
      const sum = found.reduce((total, [, { bytes }]) => total + bytes, 0);
      yield {
        page: "/",
        at: kind,
        shared: true,
        evidence: {
          url,
          encoding: response?.headers["content-encoding"] ?? null,
          bytes: sum,
          count: found.length,
          urls: largest.slice(0, 20).map(([one]) => one),
        },
        message: `${kind} are sent uncompressed (${Math.round(sum / 1024)} kB in total), such as ${pathOf(url)}.`,
      };
    }
  },
};

const asset =
  /^(?:text\/css|text\/javascript|application\/(?:x-)?javascript|image\/|font\/|application\/(?:font|vnd\.ms-fontobject))/;
/** A name that changes with the content: the file may be cached forever. */
const hashed = /[._-](?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{8,}\.\w{2,5}$|\/_astro\//i;
const month = 30 * 24 * 60 * 60;

/** How long browsers may cache a response, in seconds; null if that is unknown. */
function cacheSeconds({ headers }: CrawlResponse): number | null {
  const reported = headers["cache-control"]?.toLowerCase() ?? "";
  if (/no-store/.test(reported)) return -1;
  const age = /max-age=(\d+)/.exec(reported)?.[1];
  if (age !== undefined) return Number(age);
  if (/no-cache/.test(reported)) return 0;
  return headers["expires"] === undefined
    ? null
    : Math.max(0, (Date.parse(headers["expires"]) - Date.now()) / 1000);
}

function isShort(url: string, response: CrawlResponse): boolean {
  const seconds = cacheSeconds(response);
  const asksAgain =
    response.headers["etag"] !== undefined || response.headers["last-modified"] !== undefined;
  if (hashed.test(pathOf(url).split("?")[0] ?? "")) return seconds === null || seconds < month;
  // A file with a fixed name may be revalidated each time if the response is then “not modified”.
  return seconds === -1 || (seconds === null && !asksAgain);
}

/** Reports files that browsers have to load again at each visit. */
export const perfCacheShort: SiteCheck = {
  id: "perf.cache-short",
  category: "performance",
  severity: "notice",
  scope: "site",
  *run(crawl) {
    const found = [...ownResponses(crawl)].filter(([url, response]) => {
      return (
        response.status === 200 &&
        !response.notModified &&
        response.hops.length === 0 &&
        asset.test(typeOf(response)) &&
        isShort(url, response)
      );
    });
    const [url = "", response] = found[0] ?? [];
    if (!response) return;
    const count = found.length;
    yield {
      page: "/",
      at: "assets",
      shared: true,
      evidence: {
        url,
        "cache-control": response.headers["cache-control"] ?? null,
        count,
        urls: found.slice(0, 20).map(([one]) => one),
      },
      message: `Browsers aren’t allowed to cache ${count === 1 ? "a file" : `${count} files`} that could be cached, such as ${pathOf(url)}.`,
    };
  },
};

/** In ms: from here on, people notice that they wait (web.dev, Time to First Byte). */
const slow = 800;

/** Reports a site that is slow to start its responses. */
export const perfSlowTtfb: SiteCheck = {
  id: "perf.slow-ttfb",
  category: "performance",
  severity: "warning",
  scope: "site",
  *run(crawl) {
    const times = pagesOf(crawl)
      .map(({ response }) => response.firstByteMs)
      .toSorted((a, b) => a - b);
    // A single one may be the first request in a long time.
    if (times.length < 2) return;
    // Concurrent requests slow each other down: only the fastest show what a single visitor gets.
    const quick = times[Math.floor(times.length / 10)] ?? 0;
    if (quick <= slow) return;
    const median = Math.round(times[Math.floor(times.length / 2)] ?? 0);
    yield {
      page: "/",
      at: "first byte",
      shared: true,
      // The current load of both machines is included.
      confidence: "likely",
      evidence: { ms: Math.round(quick), median, pages: times.length },
      message: `Even the fastest pages take ${Math.round(quick)} ms to start. Aim for ${slow} ms or less.`,
    };
  },
};
