import { LRUCache } from "lru-cache";
import type { CrawlResponse, PageFacts } from "../crawl/crawl.ts";
import { pathNameOf } from "../crawl/addresses.ts";
import { decodeText } from "../crawl/decode.ts";
import { type Page, PageTooLarge, readPage } from "../page/page.ts";
import { type Sheet, readSheet } from "../style/sheet.ts";
import type { SiteFile } from "./files.ts";
import type { PageHead, PathEntry, Site } from "./site.ts";

/** An address of the site that was requested. */
export interface OwnResource {
  /** Absolute, without a fragment. */
  url: string;
  /** Decoded path, with the query if there is one. */
  path: string;
  /**
   * After all its redirects; a page that redirects by `meta refresh` has the target in `leadsTo`.
   */
  response: CrawlResponse;
  /** For a parsed page; null for everything else. */
  facts: PageFacts | null;
  /** The target of a redirect, as a path or an address, with a fragment if one is given. */
  leadsTo: string | null;
  /** Only elements of pages load it: it is never opened by itself. */
  isAsset: boolean;
}

export interface CrawledSource {
  origin: string;
  /** Identifies exactly this content. */
  sha: string;
  /** By path. */
  resources: ReadonlyMap<string, OwnResource>;
  /** The body of an address; undefined if it wasn't kept. */
  body(url: string): Buffer | undefined;
  /** Pages that the crawl has parsed and kept, by path. */
  pages: ReadonlyMap<string, Page>;
  sheets: LRUCache<string, Sheet>;
  /** Whether Vitrine itself responds at a path. */
  isProgram(path: string): boolean;
  /** The addresses that the site's sitemaps list. */
  listed: readonly string[];
}

/** The type that a browser uses: for images by their bytes, for everything else by the header. */
function typeOf({ headers, sniffed }: CrawlResponse): string {
  const reported = headers["content-type"] ?? "";
  if (reported === "") return sniffed ?? "application/octet-stream";
  if (sniffed?.startsWith("image/") && sniffed !== "image/svg+xml") return sniffed;
  return reported.startsWith("image/") && sniffed !== null && sniffed !== "application/xml"
    ? sniffed
    : reported;
}

export function fileOf(response: CrawlResponse): SiteFile {
  const encoding = response.headers["content-encoding"];
  const packed = { bytes: response.wireBytes };
  return {
    file: "",
    hash: response.hash ?? "",
    bytes: response.bytes,
    type: typeOf(response),
    encodings: encoding === "gzip" ? { gzip: packed } : encoding === "br" ? { br: packed } : {},
  };
}

/** Failures that reach a visitor; a server error says nothing about the address. */
function entryOf(resource: OwnResource): PathEntry | undefined {
  const { response, path, leadsTo, isAsset } = resource;
  const { verdict, status, reason } = response;
  if (verdict === "unknown") return { kind: "unknown", why: reason ?? "it couldn’t be determined" };
  if (verdict === "broken") {
    const isGone = status !== null && status < 500 && response.failure === null;
    return isGone || isAsset ? undefined : { kind: "unknown", why: reason ?? "it is broken" };
  }
  if (leadsTo !== null) {
    const byPage = response.hops.length === 0 && { byPage: true as const };
    return { kind: "redirect", path, to: leadsTo, ...byPage };
  }
  return { kind: "file", path, file: fileOf(response) };
}

/** A crawled site with the same interface as a built one. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openCrawl(source: CrawledSource): Site {
  const { resources, pages, sheets, origin, isProgram } = source;
  const unread = new Map<string, string>();
  const recent = new LRUCache<string, Page>({ max: 8 });
  const made = new LRUCache<string, object>({ max: 20 });
  const places = new Map<string, PathEntry | undefined>();
  let files: Record<string, SiteFile> | undefined;
  let lower: Map<string, string> | undefined;
  let heads: Map<string, PageHead> | undefined;
  let listed: ReadonlySet<string> | undefined;

  const at = (path: string, search = ""): PathEntry | undefined => {
    const name = path + search;
    if (places.has(name)) return places.get(name);
    const resource = resources.get(name);
    if (isProgram(path)) return { kind: "program" };
    const place = resource
      ? entryOf(resource)
      : { kind: "unknown" as const, why: "it wasn't requested" };
    places.set(name, place);
    return place;
  };
  const allFiles = () => {
    if (files) return files;
    files = {};
    for (const path of resources.keys()) {
      const place = at(path);
      if (place?.kind === "file") files[path] = place.file;
    }
    return files;
  };
  const text = (path: string): string | undefined => {
    const resource = resources.get(path);
    const body = resource && source.body(resource.url);
    return body && decodeText(body, resource.response.headers["content-type"]);
  };
  const page = (path: string): Page | undefined => {
    const known = pages.get(path) ?? recent.get(path);
    const resource = resources.get(path);
    if (known || !resource?.facts || unread.has(path)) return known;
    try {
      const content = text(path) ?? "";
      const read = readPage(path, fileOf(resource.response), content);
      recent.set(path, read);
      return read;
    } catch (error) {
      if (!(error instanceof PageTooLarge)) throw error;
      unread.set(path, error.message);
      return undefined;
    }
  };
  return {
    sha: source.sha,
    origin,
    get files() {
      return allFiles();
    },
    pagePaths: [...resources.values()]
      .filter(({ facts, leadsTo }) => facts !== null && leadsTo === null)
      .map(({ path }) => path)
      .toSorted(),
    resolve: at,
    text,
    page,
    unreadableReason: (path) => unread.get(path),
    response: (path, search = "") => resources.get(path + search)?.response,
    fragmentTargetsOn: (path) => resources.get(path)?.facts?.fragmentTargets,
    findPathIgnoringCase(path) {
      lower ??= new Map(Object.keys(allFiles()).map((known) => [known.toLowerCase(), known]));
      const folded = path.toLowerCase();
      return lower.get(folded) ?? lower.get(`${folded}/`);
    },
    sheet(path) {
      const resource = resources.get(path);
      if (!resource || !fileOf(resource.response).type.startsWith("text/css")) return undefined;
      const key = resource.response.hash ?? path;
      const sheet = sheets.get(key) ?? readSheet(text(path) ?? "");
      sheets.set(key, sheet);
      return sheet;
    },
    memoize<T extends object>(key: string, make: () => T): T {
      const known = (made.get(key) as T | undefined) ?? make();
      made.set(key, known);
      return known;
    },
    heads() {
      heads ??= new Map(
        [...resources.values()].flatMap(({ path, facts, leadsTo }) =>
          facts && leadsTo === null ? [[path, facts] as const] : [],
        ),
      );
      return heads;
    },
    listed() {
      listed ??= new Set(
        source.listed.flatMap((address) => {
          const url = URL.parse(address);
          return url?.origin === origin ? [pathNameOf(url)] : [];
        }),
      );
      return listed;
    },
  };
}
