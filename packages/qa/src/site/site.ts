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
  /** `byPage`: a page leads on by itself, so that a link's fragment does not go along. */
  | { kind: "redirect"; path: string; to: string; byPage?: true }
  /** Answered by the program, not by a file: the admin's pages and the API. */
  | { kind: "program" }
  /** Can't be told: it was not asked for, or the answer says nothing of it. */
  | { kind: "unknown"; why: string };

/** What came back over HTTP for an address of a site: the part of a crawl's answer that pages' checks tell. */
export interface SiteResponse {
  /** Of the last hop; null when no answer came. */
  status: number | null;
  /**
   * `unknown` is what can't be told from here: 401, 403, 429, 503, 999, walls against robots. It is
   * never told as broken.
   */
  verdict: "ok" | "broken" | "unknown";
  /** Why it is not ok, in a few plain words; null when it is. */
  reason: string | null;
  failure: { phase: string; code: string; ms: number } | null;
  /** By names in lower case; several of one name are joined by a line break. */
  headers: Readonly<Record<string, string>>;
  /** The redirects that were followed, in order; the last answer is none of them. */
  hops: readonly { url: string; status: number }[];
  finalUrl: string;
  /** Of the body, decoded and as it went over the wire; as far as it was read. */
  bytes: number;
  wireBytes: number;
  /** SHA-256 of the body; null when none was read. */
  hash: string | null;
  /** What the bytes are, as `image/png`, `text/html`; null when it can't be told. */
  sniffed: string | null;
  /** Of an image of the site. */
  image: {
    format: string;
    width: number;
    height: number;
    /** Names of the tags that tell where it was taken; empty for none. */
    locationTags: readonly string[];
  } | null;
  /** The first 512 bytes as text; empty for images, fonts, audio, and video. */
  head: string;
}

/** A built site as its checks see it: every answer comes from the manifest and the files. */
export interface Site {
  /** The name of exactly this content. */
  sha: string;
  /** The site's own address; null when nothing tells it. */
  origin: string | null;
  files: Readonly<Record<string, SiteFile>>;
  /** The paths of all pages, in order; those that only lead on are left out. */
  pagePaths: readonly string[];
  /** Texts that no page may show, such as those of a sample site; none unless told. */
  forbiddenTexts?: readonly string[];
  /** What a visitor of this decoded path, with this query (`?a=b`), gets; undefined for nothing. */
  resolve(path: string, search?: string): PathEntry | undefined;
  /** Of a crawled site: what was answered there; undefined where nothing was asked. */
  response?(path: string, search?: string): SiteResponse | undefined;
  /** Ids and names on the page of this path that fragments lead to; undefined for no page. */
  fragmentTargetsOn(path: string): ReadonlySet<string> | undefined;
  /** Whether a path is there when letters' case is put right: the right one. */
  findPathIgnoringCase(path: string): string | undefined;
  /** The text of a file; undefined for nothing. */
  text(path: string): string | undefined;
  /** A page of this path; undefined for nothing, and for one too large to be looked into. */
  page(path: string): Page | undefined;
  /** Why a page could not be looked into; undefined when it could. */
  unreadableReason(path: string): string | undefined;
  sheet(path: string): Sheet | undefined;
  /** What was made under this name before, for this site or another; else makes it. */
  memoize<T extends object>(key: string, make: () => T): T;
  /** What the heads of all pages say. */
  heads(): ReadonlyMap<string, PageHead>;
  /** The paths, with queries, that the site's sitemaps list. */
  listed(): ReadonlySet<string>;
}

/** What the head of a page says, read without parsing the rest. */
export interface PageHead {
  title: string;
  description: string;
  isNoindex: boolean;
  /** As written; null when there is none. */
  canonical: string | null;
  lang: string;
}

/** What is kept between sites, because the same bytes come again: parsed style sheets and heads. */
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

/** The address that the canonical link of a head names, as written. */
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

/** The origin that the pages' canonical links name. */
function ownOrigin(text: string | undefined): string | null {
  const href = canonicalIn(text?.slice(0, headBytes) ?? "");
  return (href && URL.parse(href)?.origin) || null;
}

const isSitemap = (path: string): boolean => /\/[^/]*sitemap[^/]*\.xml$/i.test(path);

/** The paths that the texts of sitemaps list, as pages are named. */
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

/** Opens the site of a manifest whose files lie in `dir`. Files are read when they are asked for. */
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
      // Kept when the page itself is let go: many pages link to places of the same ones.
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
