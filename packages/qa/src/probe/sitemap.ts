import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { CrawlResponse } from "../crawl/crawl.ts";
import type { Sitemap, SitemapEntry } from "./probes.ts";
import { readXml, type XmlError } from "./xml.ts";

/** The limits of one file (sitemaps.org, protocol 0.9). */
export const sitemapBounds = { urls: 50_000, bytes: 50 * 1024 * 1024 } as const;

const unpack = promisify(gunzip);

/** A sitemap with its entries. */
export interface SitemapFile {
  sitemap: Sitemap;
  entries: SitemapEntry[];
  /** For an index file: the addresses of its sitemaps. */
  parts: string[];
}

/** An address in its form for comparison: absolute, without fragment; null if it isn't one. */
export function plainAddress(raw: string, base?: string): string | null {
  const url = URL.parse(raw.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.hash = "";
  return url.href;
}

interface Unpacked {
  text: string;
  bytes: number;
  cut: boolean;
  error: XmlError | null;
}

/** The text of a body, decompressed if it is a gzip file. */
async function unpacked(body: Buffer, truncated: boolean): Promise<Unpacked> {
  let bytes = body;
  let cut = truncated;
  if (body[0] === 0x1f && body[1] === 0x8b) {
    try {
      // One byte above the limit, to detect that it is exceeded.
      bytes = await unpack(body, { maxOutputLength: sitemapBounds.bytes + 1 });
    } catch (cause) {
      const large = (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
      const message = "The file claims to be compressed with gzip but can't be unpacked.";
      const error = large || truncated ? null : { line: 1, column: 1, message };
      return { text: "", bytes: large ? sitemapBounds.bytes + 1 : 0, cut: error === null, error };
    }
  }
  if (bytes.length > sitemapBounds.bytes) {
    bytes = bytes.subarray(0, sitemapBounds.bytes);
    cut = true;
    return { text: bytes.toString("utf8"), bytes: sitemapBounds.bytes + 1, cut, error: null };
  }
  return { text: bytes.toString("utf8"), bytes: bytes.length, cut, error: null };
}

/** A list of addresses, one per line. */
function readLines(text: string, file: SitemapFile): void {
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const loc = line.trim() === "" ? null : plainAddress(line);
    if (loc === null) continue;
    file.sitemap.count++;
    if (file.entries.length >= sitemapBounds.urls) continue;
    file.entries.push({ loc, lastmod: null, sitemap: file.sitemap.url, line: at + 1 });
  }
}

function readElements(text: string, file: SitemapFile): void {
  const { sitemap, entries, parts } = file;
  let root = "";
  let loc: { url: string; line: number } | null = null;
  let lastmod: string | null = null;
  const error = readXml(text, {
    open(name, _attributes, path) {
      if (path.length === 1) {
        root = name;
        sitemap.kind = root === "urlset" ? "urls" : root === "sitemapindex" ? "index" : null;
      }
      if (path.length === 2) [loc, lastmod] = [null, null];
    },
    close(name, words, path, line) {
      if (path.length === 3 && name === "loc") {
        const url = plainAddress(words);
        loc = url === null ? null : { url, line };
      } else if (path.length === 3 && name === "lastmod") lastmod = words;
      else if (path.length === 2 && (name === "url" || name === "sitemap")) {
        sitemap.count++;
        if (loc === null) return;
        if (sitemap.kind === "index") parts.push(loc.url);
        else if (sitemap.kind === "urls" && entries.length < sitemapBounds.urls) {
          entries.push({ loc: loc.url, lastmod, sitemap: sitemap.url, line: loc.line });
        }
      }
    },
  });
  // A file that was cut off can't be well-formed; its size is reported instead.
  if (error && !sitemap.cut) sitemap.error = error;
  // Search engines accept feeds as sitemaps, too.
  const known = sitemap.kind !== null || root === "rss" || root === "feed" || root === "rdf";
  if (!error && !known) {
    const message = `The root element is “${root.slice(0, 40)}”, not “urlset” or “sitemapindex”.`;
    sitemap.error = { line: 1, column: 1, message };
  }
}

/** Reads a sitemap: XML or lines of text, compressed with gzip or not. */
export async function readSitemap(
  url: string,
  from: Sitemap["from"],
  { answer: response, body }: { answer: CrawlResponse; body: Buffer | null },
): Promise<SitemapFile> {
  const sitemap: Sitemap = {
    url,
    from,
    response,
    kind: null,
    error: null,
    count: 0,
    bytes: 0,
    cut: false,
  };
  const file: SitemapFile = { sitemap, entries: [], parts: [] };
  if (response.status !== 200 || body === null) return file;
  const { text, bytes, cut, error } = await unpacked(body, response.truncated);
  Object.assign(sitemap, { bytes, cut, error });
  if (error !== null) return file;
  if (/\.txt$/i.test(new URL(url).pathname) && !text.trimStart().startsWith("<")) {
    sitemap.kind = "urls";
    readLines(text, file);
  } else readElements(text, file);
  return file;
}
