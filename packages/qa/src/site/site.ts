import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import {
  hasNoindexMeta,
  type Page,
  PageTooLarge,
  fragmentTargetsOf,
  readPage,
} from "../page/page.ts";
import { type Sheet, readSheet } from "../style/sheet.ts";
import { pathNameOf } from "../crawl/addresses.ts";
import { isPage, type SiteFile, type SiteManifest } from "./files.ts";
import { isProgramPath } from "./program.ts";

/** What is at a path of a site. */
export type PathEntry =
  | { kind: "file"; path: string; file: SiteFile }
  /** `byPage`: the page itself redirects, so that a link's fragment is lost. */
  | { kind: "redirect"; path: string; to: string; byPage?: true }
  /** Answered by Vitrine itself, not by a file: the admin pages and the API. */
  | { kind: "program" }
  /** Unknown: it wasn't requested, or the response says nothing about it. */
  | { kind: "unknown"; why: string };

/** The HTTP response at an address of a site: the part that page checks need. */
export interface SiteResponse {
  /** Of the last hop; null without a response. */
  status: number | null;
  /**
   * `unknown` is what can't be judged from here: 401, 403, 429, 503, 999, bot walls. It is never
   * reported as broken.
   */
  verdict: "ok" | "broken" | "unknown";
  /** Why it isn't ok, in a few plain words; null if it is. */
  reason: string | null;
  failure: { phase: string; code: string; ms: number } | null;
  /** By lower-case names; several of the same name are joined with a line break. */
  headers: Readonly<Record<string, string>>;
  /** The redirects that were followed, in order, without the final response. */
  hops: readonly { url: string; status: number }[];
  finalUrl: string;
  /** Sizes of the body, decoded and as transferred, as far as it was read. */
  bytes: number;
  wireBytes: number;
  /** SHA-256 of the body; null if it wasn't read. */
  hash: string | null;
  /** The type by its bytes, such as `image/png` or `text/html`; null if unknown. */
  sniffed: string | null;
  /** For an image of the site. */
  image: {
    format: string;
    width: number;
    height: number;
    /** Names of the tags that reveal where it was taken. */
    locationTags: readonly string[];
  } | null;
  /** The first 512 bytes as text; empty for images, fonts, audio, and video. */
  head: string;
}

/** A built site for checks: everything comes from the manifest and the files. */
export interface Site {
  /** Identifies exactly this content. */
  sha: string;
  /** The site's own address; null if unknown. */
  origin: string | null;
  files: Readonly<Record<string, SiteFile>>;
  /** The paths of all pages, in order, without those that only redirect. */
  pagePaths: readonly string[];
  /** Texts that no page may show, such as those of a sample site; default: none. */
  forbiddenTexts?: readonly string[];
  /**
   * What a visitor gets at this decoded path with this query (`?a=b`); undefined if nothing is
   * there.
   */
  resolve(path: string, search?: string): PathEntry | undefined;
  /** For a crawled site: the response there; undefined if it wasn't requested. */
  response?(path: string, search?: string): SiteResponse | undefined;
  /** The possible fragments of the page at this path; undefined if there is no page. */
  fragmentTargetsOn(path: string): ReadonlySet<string> | undefined;
  /** The existing path that differs from this one only in upper and lower case. */
  findPathIgnoringCase(path: string): string | undefined;
  /** The text of a file; undefined if there is none. */
  text(path: string): string | undefined;
  /** The page at this path; undefined if there is none, or if it is too large to parse. */
  page(path: string): Page | undefined;
  /** Why a page could not be parsed; undefined if it could. */
  unreadableReason(path: string): string | undefined;
  sheet(path: string): Sheet | undefined;
  /** Returns what was made under this name before, for this site or another; otherwise makes it. */
  memoize<T extends object>(key: string, make: () => T): T;
  /** The heads of all pages. */
  heads(): ReadonlyMap<string, PageHead>;
  /** The paths, with queries, that the site's sitemaps list. */
  listed(): ReadonlySet<string>;
}

/** The metadata in the head of a page, read without parsing the rest. */
export interface PageHead {
  title: string;
  description: string;
  isNoindex: boolean;
  /** As written; null if there is none. */
  canonical: string | null;
  lang: string;
}

/**
 * Caches shared between sites, because the same files occur again: parsed style sheets and heads.
 */
export interface ParseCaches {
  sheets: LRUCache<string, Sheet>;
  heads: LRUCache<string, PageHead>;
  derived: LRUCache<string, object>;
}

export function makeParseCaches(): ParseCaches {
  return {
    sheets: new LRUCache({ max: 50 }),
    heads: new LRUCache({ max: 5000 }),
    derived: new LRUCache({ max: 20 }),
  };
}

const headBytes = 64 * 1024;

/** The canonical address in a head, as written. */
function canonicalIn(head: string): string | null {
  const tag = /<link\s[^>]*\brel=["']?canonical["'\s][^>]*>/i.exec(head)?.[0] ?? "";
  return /\bhref=["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? null;
}

function headOf(text: string): PageHead {
  const head = text.slice(0, headBytes);
  const meta = (name: string) =>
    new RegExp(`<meta\\s[^>]*\\bname=["']?${name}["'\\s][^>]*>`, "i").exec(head)?.[0] ?? "";
  const content = (tag: string) => /\bcontent=(?:"([^"]*)"|'([^']*)')/i.exec(tag);
  const [, double, single] = content(meta("description")) ?? [];
  const robots = content(meta("robots"));
  return {
    title: (/<title[^<>]*>([^<]*)</i.exec(head)?.[1] ?? "").replace(/\s+/g, " ").trim(),
    description: (double ?? single ?? "").replace(/\s+/g, " ").trim(),
    isNoindex: hasNoindexMeta(robots?.[1] ?? robots?.[2] ?? ""),
    canonical: canonicalIn(head),
    lang: /<html\s[^>]*?\blang=["']?([\w-]+)/i.exec(head)?.[1] ?? "",
  };
}

/** The origin of the pages' canonical links. */
function ownOrigin(text: string | undefined): string | null {
  const href = canonicalIn(text?.slice(0, headBytes) ?? "");
  return (href && URL.parse(href)?.origin) || null;
}

const isSitemap = (path: string): boolean => /\/[^/]*sitemap[^/]*\.xml$/i.test(path);

/** The paths that sitemaps list, named as pages are. */
function listedIn(texts: readonly (string | undefined)[]): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [, address = ""] of (text ?? "").matchAll(/<loc>([^<]*)<\/loc>/g)) {
      const url = URL.parse(address.trim().replaceAll("&amp;", "&"));
      if (url) found.add(pathNameOf(url));
    }
  }
  return found;
}

/** Opens the site of a manifest whose files are in `dir`. Files are read on demand. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openSite(
  dir: string,
  manifest: SiteManifest,
  caches: ParseCaches,
  baseUrl?: string,
): Site {
  const { files, redirects = {}, sha } = manifest;
  const pages = new LRUCache<string, Page>({ max: 60 });
  const unread = new Map<string, string>();
  const places = new Map<string, ReadonlySet<string>>();
  let lower: Map<string, string> | undefined;
  let heads: Map<string, PageHead> | undefined;
  let listed: ReadonlySet<string> | undefined;

  const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
    Object.hasOwn(record, key) ? record[key] : undefined;
  const text = (path: string): string | undefined => {
    const entry = own(files, path);
    if (!entry) return undefined;
    try {
      return readFileSync(join(dir, entry.file), "utf8");
    } catch {
      return undefined;
    }
  };
  const at = (path: string): PathEntry | undefined => {
    for (const candidate of path.endsWith("/") ? [path] : [path, `${path}/`]) {
      const to = own(redirects, candidate);
      if (to !== undefined) return { kind: "redirect", path: candidate, to };
      const file = own(files, candidate);
      if (file) return { kind: "file", path: candidate, file };
    }
    if (path.endsWith("/index.html")) return at(path.slice(0, -"index.html".length));
    return isProgramPath(path) ? { kind: "program" } : undefined;
  };
  const pagePaths = Object.keys(files)
    .filter((path) => isPage(files[path] as SiteFile) && !Object.hasOwn(redirects, path))
    .toSorted();
  const site: Site = {
    sha,
    origin: (baseUrl && URL.parse(baseUrl)?.origin) || ownOrigin(text("/")),
    files,
    pagePaths,
    resolve: at,
    text,
    findPathIgnoringCase(path) {
      lower ??= new Map(Object.keys(files).map((known) => [known.toLowerCase(), known]));
      const folded = path.toLowerCase();
      return lower.get(folded) ?? lower.get(`${folded}/`);
    },
    page(path) {
      const known = pages.get(path);
      const file = own(files, path);
      if (known || !file || unread.has(path)) return known;
      try {
        const page = readPage(path, file, text(path) ?? "");
        pages.set(path, page);
        return page;
      } catch (error) {
        if (!(error instanceof PageTooLarge)) throw error;
        unread.set(path, error.message);
        return undefined;
      }
    },
    fragmentTargetsOn(path) {
      const known = places.get(path);
      if (known) return known;
      const page = site.page(path);
      // Kept after the page itself is dropped from memory, because many pages link to fragments of
      // the same ones.
      const found = page && fragmentTargetsOf(page);
      if (found) places.set(path, found);
      return found;
    },
    unreadableReason: (path) => unread.get(path),
    sheet(path) {
      const file = own(files, path);
      if (!file?.type.startsWith("text/css")) return undefined;
      const known = caches.sheets.get(file.hash);
      if (known) return known;
      const sheet = readSheet(text(path) ?? "");
      caches.sheets.set(file.hash, sheet);
      return sheet;
    },
    memoize<T extends object>(key: string, make: () => T): T {
      const known = caches.derived.get(key) as T | undefined;
      if (known) return known;
      const made = make();
      caches.derived.set(key, made);
      return made;
    },
    heads() {
      heads ??= new Map(
        pagePaths.map((path) => {
          const { hash } = files[path] as SiteFile;
          const known = caches.heads.get(hash) ?? headOf(text(path) ?? "");
          caches.heads.set(hash, known);
          return [path, known];
        }),
      );
      return heads;
    },
    listed: () => (listed ??= listedIn(Object.keys(files).filter(isSitemap).map(text))),
  };
  return site;
}
