import { LRUCache } from "lru-cache";
import type { QaLimits } from "../limits.ts";
import { type Page, PageTooLarge, readPage } from "../page/page.ts";
import { isRedirectPage } from "../page/refresh.ts";
import { fileOf } from "../site/crawled-site.ts";
import { type Sheet, readSheet } from "../style/sheet.ts";
import { pathNameOf, type Resolved, type Resolver } from "./addresses.ts";
import { type Bodies, makeBodies } from "./bodies.ts";
import type { CrawlResponse, PageFacts, Reference, ReferenceKind } from "./crawl.ts";
import { decodeText } from "./decode.ts";
import { factsOf, noFacts } from "./facts.ts";
import type { Fetcher } from "./fetcher.ts";
import { makeTraps } from "./frontier.ts";
import { locationOf } from "./follow-redirects.ts";
import { type Found, manifestReferences, referencesOf, sheetReferences } from "./references.ts";

/** One address of the site with its own response, without what its redirects lead to. */
export interface Visited {
  url: string;
  path: string;
  parsed: URL;
  /** An element of a page links here, so it is parsed as a page if it is one. */
  asPage: boolean;
  /** The first page or style sheet that references it. */
  namedBy: string;
  response: CrawlResponse | null;
  /** The target of a redirect. */
  next: Resolved | null;
  facts: PageFacts | null;
  /** The target of a page that only redirects. */
  refresh: string | null;
}

export interface OwnCrawlOptions {
  fetcher: Fetcher;
  resolver: Resolver;
  limits: QaLimits;
  isProgram: (path: string) => boolean;
  /** Receives external addresses immediately, while the site is still being crawled. */
  onExternal: (key: string) => void;
  onProgress: (done: number, total: number, at: string) => void;
}

export interface OwnCrawl {
  visited: ReadonlyMap<string, Visited>;
  references: readonly Reference[];
  byKey: ReadonlyMap<string, Reference[]>;
  bodies: Bodies;
  pages: ReadonlyMap<string, Page>;
  sheets: LRUCache<string, Sheet>;
  /** Requests an address of the site as a page, whether or not it looks like a trap. */
  seed(url: string): void;
  /** Requests a file of the site that no page references. */
  request(url: string): void;
  /** Resolves when every known address has been requested. */
  idle(): Promise<void>;
  /** Stops further requests. */
  stop(): void;
  /** Whether the limits left anything out. */
  isCut(): boolean;
}

/** Targets of links, frames, and the head of a page are parsed as pages if they are pages. */
const pageKinds = new Set<ReferenceKind>(["link", "frame", "canonical", "alternate"]);
/**
 * The maximum of parsed pages in memory, in characters of their source; elements take about forty
 * times as many bytes.
 */
const treeCharacters = 400_000;
const bodyBytes = 48 * 1024 * 1024;
const leadsOn = new Set([301, 302, 303, 307, 308]);
const textual = /^text\/|html|xml|json|javascript/;

const isHtml = (type: string): boolean => /^(?:text\/html|application\/xhtml\+xml)/i.test(type);

/** Crawls one origin breadth first: requests, parses, and requests what it finds. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeOwnCrawl(options: OwnCrawlOptions): OwnCrawl {
  const { fetcher, resolver, limits, isProgram } = options;
  const visited = new Map<string, Visited>();
  const references: Reference[] = [];
  const byKey = new Map<string, Reference[]>();
  const bodies = makeBodies(bodyBytes);
  const pages = new Map<string, Page>();
  const sheets = new LRUCache<string, Sheet>({ max: 50 });
  const traps = makeTraps();
  const queue: Visited[] = [];
  const waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  const max = { pages: limits.pages, all: limits.pages * 20 + 1000 };
  let [next, active, done, pageCount, treeSize] = [0, 0, 0, 0, 0];
  const ended = { stopped: false, cut: false };
  let failure: { error: unknown } | null = null;

  const enqueue = (key: string, asPage: boolean, namedBy: string, sure: boolean): void => {
    const known = visited.get(key);
    if (known) {
      if (asPage && !known.asPage) promote(known);
      return;
    }
    const parsed = new URL(key);
    const path = pathNameOf(parsed);
    if (isProgram(parsed.pathname)) return;
    if (asPage && !sure && !traps.accepts(parsed)) return;
    if ((asPage && pageCount >= max.pages) || visited.size >= max.all) {
      ended.cut = true;
      return;
    }
    if (asPage) pageCount += 1;
    const resource: Visited = {
      url: key,
      path,
      parsed,
      asPage,
      namedBy,
      response: null,
      next: null,
      facts: null,
      refresh: null,
    };
    visited.set(key, resource);
    queue.push(resource);
    pump();
  };

  /** An address that was requested as an image or the like and turns out to be linked to. */
  const promote = (resource: Visited): void => {
    resource.asPage = true;
    const { response, url } = resource;
    if (resource.next?.own) enqueue(resource.next.key, true, resource.namedBy, true);
    const body = response && bodies.get(url);
    if (response && body && resource.facts === null) read(resource, response, body);
  };

  const take = (found: Found[]): void => {
    for (const { reference, key, own } of found) {
      references.push(reference);
      const same = byKey.get(key);
      if (same) same.push(reference);
      else byKey.set(key, [reference]);
      if (reference.kind === "form") continue;
      if (own) enqueue(key, pageKinds.has(reference.kind), reference.page, false);
      else if (!same) options.onExternal(key);
    }
  };

  const readHtml = (resource: Visited, response: CrawlResponse, body: Buffer): void => {
    const text = decodeText(body, response.headers["content-type"]);
    try {
      const page = readPage(resource.path, fileOf(response), text);
      // The first ones stay: checks visit the pages in order, and would evict the next page each
      // time.
      if (treeSize + text.length <= treeCharacters) {
        treeSize += text.length;
        pages.set(resource.path, page);
      }
      resource.facts = factsOf(page, response);
      traps.record(resource.parsed, resource.facts.textHash);
      const found = referencesOf(page, resource.url, resolver);
      if (isRedirectPage(page)) {
        resource.refresh =
          found.find(({ reference }) => reference.rel === "refresh")?.reference.url ?? null;
      }
      take(found);
    } catch (error) {
      if (!(error instanceof PageTooLarge)) throw error;
      resource.facts = noFacts;
    }
  };

  const read = (resource: Visited, response: CrawlResponse, body: Buffer): void => {
    const type = response.headers["content-type"] ?? response.sniffed ?? "";
    if (isHtml(type)) {
      if (resource.asPage) readHtml(resource, response, body);
      return;
    }
    const { url, namedBy } = resource;
    if (type.startsWith("text/css")) {
      const sheet = readSheet(decodeText(body, type));
      sheets.set(response.hash ?? url, sheet);
      take(sheetReferences(sheet.addresses, url, namedBy, resolver));
    } else if (/manifest\+json|\.webmanifest$/.test(`${type} ${resource.parsed.pathname}`)) {
      take(manifestReferences(decodeText(body, type), url, namedBy, resolver));
    }
  };

  const lead = (resource: Visited, location: string): void => {
    const to = URL.parse(location, resource.url);
    if (!to || !/^https?:$/.test(to.protocol)) return;
    resource.next = resolver.resolve(to.href, resource.url);
    if (!resource.next) return;
    if (resource.next.own) enqueue(resource.next.key, resource.asPage, resource.namedBy, true);
    else options.onExternal(resource.next.key);
  };

  const ask = async (resource: Visited): Promise<void> => {
    const { answer: response, body } = await fetcher.own(resource.url, { follow: false });
    resource.response = response;
    const location = locationOf(response);
    if (response.status !== null && leadsOn.has(response.status) && location !== undefined) {
      lead(resource, location);
    } else if (response.verdict === "ok" && body) {
      const type = response.headers["content-type"] ?? response.sniffed ?? "";
      if (textual.test(type)) bodies.put(resource.url, body);
      read(resource, response, body);
    }
    done += 1;
    options.onProgress(done, visited.size, resource.path);
  };

  const pump = (): void => {
    while (!ended.stopped && active < limits.connections && next < queue.length) {
      const resource = queue[next++] as Visited;
      active += 1;
      ask(resource)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          active -= 1;
          pump();
        });
    }
    if (active > 0 || (!ended.stopped && next < queue.length)) return;
    for (const { resolve, reject } of waiting.splice(0)) {
      if (failure) reject(failure.error);
      else resolve();
    }
  };

  return {
    visited,
    references,
    byKey,
    bodies,
    pages,
    sheets,
    request: (url) => enqueue(url, false, "", true),
    seed: (url) => enqueue(url, true, "", true),
    idle: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        pump();
      }),
    stop() {
      if (active > 0 || next < queue.length) ended.cut = true;
      ended.stopped = true;
      pump();
    },
    isCut: () => ended.cut,
  };
}
