import robotsParser from "robots-parser";
import { mapConcurrently } from "../kit/concurrency.ts";
import { sha256Hex } from "../kit/hash.ts";
import { isSameSite } from "../crawl/addresses.ts";
import type { CrawlResponse } from "../crawl/crawl.ts";
import type { ProbeFetcher, Robots, Seeds, Sitemap } from "./probes.ts";
import { plainAddress, readSitemap, type SitemapFile } from "./sitemap.ts";

/** The package's types speak of a default export that it does not have in this form. */
const readRules = robotsParser as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, agent: string): boolean | undefined;
  getMatchingLineNumber(url: string, agent: string): number;
  getSitemaps(): string[];
};

/** What is read of robots.txt: as much as RFC 9309, section 2.5, wants at least. */
const robotsBytes = 512 * 1024;
/** What is read of a file: packed ones are much smaller than what is in them. */
const fileBytes = 20 * 1024 * 1024;
/** Where sitemaps lie when nothing says where. */
const defaultPaths = ["/sitemap.xml", "/sitemap-index.xml", "/sitemap_index.xml"];
/** How many files are read, and how many addresses are kept of all of them. */
const maxFiles = 200;
const maxEntries = 200_000;
/** Files that are asked for at once. */
const atOnce = 4;

/** Where the robots.txt of the site is: many lead on from http, or to a name with `www.`. */
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
      // 0 and -1 stand for none; undefined for an address of another site.
      return line > 0 ? { line, text: lines[line - 1]?.trim() ?? "" } : null;
    },
  };
}

/** The sitemaps that robots.txt names, else the first of the usual places where one is. */
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
    // A page that says that nothing is here is no broken sitemap.
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

/** Whether all that a file lists is known. */
function isWhole({ sitemap, entries }: SitemapFile, isPart: boolean): boolean {
  if (sitemap.from === "usual" && sitemap.kind === null && sitemap.error === null) return true;
  if (sitemap.cut || sitemap.error !== null || sitemap.kind === null) return false;
  return sitemap.kind === "index" ? !isPart : entries.length === sitemap.count;
}

/**
 * Reads robots.txt and the sitemaps of the site at `start`, with the parts of index files, packed or
 * not. Never throws for what the site answers.
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
 * What the site says of itself, in short: with another robots.txt, or sitemaps that can be read no
 * more, the same pages are another site. Not what sitemaps hold besides addresses: many name the
 * moment at which they are asked for.
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
