import robotsParser from "robots-parser";
import { mapConcurrently } from "../kit/concurrency.ts";
import { sha256Hex } from "../kit/hash.ts";
import { isSameSite } from "../crawl/addresses.ts";
import type { CrawlResponse } from "../crawl/crawl.ts";
import type { ProbeFetcher, Robots, Seeds, Sitemap } from "./probes.ts";
import { plainAddress, readSitemap, type SitemapFile } from "./sitemap.ts";

/** The package's types declare a default export that doesn't exist in this form. */
const readRules = robotsParser as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, agent: string): boolean | undefined;
  getMatchingLineNumber(url: string, agent: string): number;
  getSitemaps(): string[];
};

/** The maximum of robots.txt that is read: the minimum that RFC 9309, section 2.5, requires. */
const robotsBytes = 512 * 1024;
/** The maximum of a file that is read; compressed ones are much smaller than their content. */
const fileBytes = 20 * 1024 * 1024;
/** Where sitemaps usually are. */
const defaultPaths = ["/sitemap.xml", "/sitemap-index.xml", "/sitemap_index.xml"];
/** The maximum number of files, and of addresses kept from all of them. */
const maxFiles = 200;
const maxEntries = 200_000;
/** The number of concurrent requests. */
const atOnce = 4;

/**
 * The real origin of the site's robots.txt: many sites redirect from HTTP, or to a name with
 * `www.`.
 */
function settled(url: string, { finalUrl }: CrawlResponse): string {
  const [from, to] = [new URL(url), URL.parse(finalUrl)];
  return to && isSameSite(from, to) && to.pathname === from.pathname ? to.href : url;
}

async function readRobots(fetcher: ProbeFetcher, origin: string): Promise<Robots> {
  const { answer: response, body } = await fetcher.own(`${origin}/robots.txt`, { cookies: false });
  const url = settled(`${origin}/robots.txt`, response);
  const looksRight = response.status === 200 && body !== null && response.sniffed !== "text/html";
  const text = looksRight ? body.subarray(0, robotsBytes).toString("utf8") : null;
  const lines = text?.split(/\r\n|\r|\n/) ?? [];
  const rules = readRules(url, lines.join("\n"));
  return {
    url,
    response,
    text,
    sitemaps: rules.getSitemaps().flatMap((raw) => plainAddress(raw, url) ?? []),
    isAllowed: (address) => rules.isAllowed(address, "*"),
    lineFor(address) {
      const line = rules.getMatchingLineNumber(address, "*");
      // 0 and -1 mean none; undefined for an address of another site.
      return line > 0 ? { line, text: lines[line - 1]?.trim() ?? "" } : null;
    },
  };
}

/** The sitemaps that robots.txt names, otherwise the first one in a usual place. */
async function readFirst(
  fetcher: ProbeFetcher,
  origin: string,
  robots: Robots,
): Promise<SitemapFile[]> {
  const ask = async (url: string, from: Sitemap["from"]) =>
    readSitemap(url, from, await fetcher.own(url, { cookies: false, maxBytes: fileBytes }));
  const named = new Set(robots.sitemaps.filter((url) => new URL(url).origin === origin));
  if (named.size > 0) {
    return mapConcurrently([...named].slice(0, maxFiles), atOnce, (url) => ask(url, "robots"));
  }
  const tried: SitemapFile[] = [];
  for (const place of defaultPaths) {
    const file = await ask(origin + place, "usual");
    tried.push(file);
    // A page that says that there is nothing isn't a broken sitemap.
    if (file.sitemap.response.sniffed === "text/html") file.sitemap.error = null;
    if (file.sitemap.kind !== null || file.sitemap.error !== null) break;
  }
  return tried;
}

/** The files that index files name. */
async function readParts(
  fetcher: ProbeFetcher,
  origin: string,
  first: readonly SitemapFile[],
): Promise<{ files: SitemapFile[]; left: boolean }> {
  const known = new Set(first.map(({ sitemap }) => sitemap.url));
  const wanted = new Map<string, string>();
  let left = false;
  for (const { sitemap, parts } of first) {
    for (const part of parts) {
      if (new URL(part).origin !== origin) left = true;
      else if (!known.has(part)) wanted.set(part, wanted.get(part) ?? sitemap.url);
    }
  }
  const requested = [...wanted].slice(0, maxFiles);
  const files = await mapConcurrently(requested, atOnce, async ([url, index]) =>
    readSitemap(url, { index }, await fetcher.own(url, { cookies: false, maxBytes: fileBytes })),
  );
  return { files, left: left || requested.length < wanted.size };
}

/** Whether everything that a file lists is known. */
function isWhole({ sitemap, entries }: SitemapFile, isPart: boolean): boolean {
  if (sitemap.from === "usual" && sitemap.kind === null && sitemap.error === null) return true;
  if (sitemap.cut || sitemap.error !== null || sitemap.kind === null) return false;
  return sitemap.kind === "index" ? !isPart : entries.length === sitemap.count;
}

/**
 * Reads robots.txt and the sitemaps of the site at `start`, including the parts of index files,
 * compressed or not. Never throws because of the site's responses.
 */
export async function readSeeds(fetcher: ProbeFetcher, start: string): Promise<Seeds> {
  const robots = await readRobots(fetcher, new URL(start).origin);
  const { origin } = new URL(robots.url);
  const first = await readFirst(fetcher, origin, robots);
  const { files: parts, left } = await readParts(fetcher, origin, first);
  const all = [...first, ...parts];
  const entries = all.flatMap((file) => file.entries).slice(0, maxEntries);
  const own = entries.filter(({ loc }) => new URL(loc).origin === origin);
  const foreign = robots.sitemaps.some((url) => new URL(url).origin !== origin);
  return {
    robots,
    sitemaps: all.map(({ sitemap }) => sitemap),
    entries,
    complete:
      !left &&
      !foreign &&
      entries.length < maxEntries &&
      first.every((file) => isWhole(file, false)) &&
      parts.every((file) => isWhole(file, true)),
    urls: [...new Set(own.map(({ loc }) => loc))],
  };
}

/**
 * A key for what the site declares: with another robots.txt, or sitemaps that can no longer be
 * read, the same pages count as changed. Sitemap data other than addresses is left out, because
 * many sitemaps contain the time of the request.
 */
export function seedsKey({ robots, sitemaps }: Pick<Seeds, "robots" | "sitemaps">): string {
  const files = sitemaps.map(({ url, response, kind, error }) => [
    url,
    response.status,
    kind,
    error === null,
  ]);
  return sha256Hex(JSON.stringify([robots.response.status, robots.text, files])).slice(0, 16);
}
