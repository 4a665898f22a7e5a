import type { CachedExternal } from "../engine/job.ts";
import type { Page } from "../page/page.ts";
import type { Site, SiteResponse } from "../site/site.ts";

export type Verdict = SiteResponse["verdict"];

/** Where a request failed. `refused`: an address that external sites may not lead us to. */
export type FailurePhase = "refused" | "dns" | "connect" | "tls" | "headers" | "body" | "redirect";

/** What is kept of a page of another site that was read to its end. */
export interface ExternalPage {
  /** Ids and names that fragments can point to; perhaps also some that only look like them. */
  hasTarget(name: string): boolean;
  /** Whether scripts may create elements, or react to fragments. */
  hasScripts: boolean;
}

/** The response at one address. */
export interface CrawlResponse extends SiteResponse {
  /** As requested: absolute, without a fragment. */
  url: string;
  method: "GET" | "HEAD" | "POST";
  failure: { phase: FailurePhase; code: string; ms: number } | null;
  /** Whether the body was longer than the limit. */
  truncated: boolean;
  /** Until the first byte and the last, in ms. */
  firstByteMs: number;
  ms: number;
  attempts: readonly { status: number | null; code: string | null; ms: number }[];
  /**
   * The site responded that nothing has changed since the last run; hash and sizes are from then.
   */
  notModified: boolean;
  /** How long the host asked us to wait, in ms from its response; null if it didn't. */
  retryAfterMs: number | null;
  /** Of a page of another site that was read to its end. */
  externalPage?: ExternalPage;
}

export type ReferenceKind =
  | "link"
  | "image"
  | "srcset"
  | "script"
  | "style"
  | "font"
  | "frame"
  | "media"
  | "form"
  | "icon"
  | "manifest"
  | "preload"
  | "canonical"
  | "alternate"
  | "og"
  | "jsonld"
  | "css";

/** A place in the site that references an address. */
export interface Reference {
  kind: ReferenceKind;
  /** Absolute, with its fragment. */
  url: string;
  /** As written. */
  raw: string;
  /** The page it is on, named as in `Site`: decoded path, with the query if there is one. */
  page: string;
  /** The element's locator, from `locate`. */
  selector: string;
  /** From 1; null if unknown. */
  line: number | null;
  /** The text of the link, or the alt text. */
  text: string;
  /** The style sheet it is in, if it isn't in the page itself. */
  sheet?: string;
  rel?: string;
}

/** What is kept of a page after the page itself is dropped from memory. */
export interface PageFacts {
  title: string;
  description: string;
  /** As written; null if there is none. */
  canonical: string | null;
  /** Whether the page or its headers ask search engines not to list it. */
  isNoindex: boolean;
  lang: string;
  headings: readonly { level: number; text: string }[];
  words: number;
  /**
   * A 64-bit hash of the main part's words, in hex: similar pages have similar hashes (Charikar
   * 2002).
   */
  simhash: string;
  /** SHA-256 of the main part's text. */
  textHash: string;
  /** Ids and names that fragments can point to. */
  fragmentTargets: ReadonlySet<string>;
  alternates: readonly { lang: string; url: string }[];
  hasFormFields: boolean;
}

export interface CrawledPage {
  /** Named as in `Site`. */
  path: string;
  url: string;
  response: CrawlResponse;
  facts: PageFacts;
  /** Links from the start; null for pages that only the sitemap lists. */
  depth: number | null;
  /** The page that first linked here. */
  from: string | null;
}

/** A site as one crawl found it. */
export interface Crawl {
  start: string;
  origin: string;
  /** The same interface as a built site's, for page checks. */
  site: Site;
  pages: ReadonlyMap<string, CrawledPage>;
  /** By address without fragment: the site's own and external ones. */
  responses: ReadonlyMap<string, CrawlResponse>;
  references: readonly Reference[];
  referencesTo(url: string): readonly Reference[];
  isOwn(url: string): boolean;
  /**
   * A page with its elements, parsed again if it was dropped from memory. Undefined if it isn't a
   * page.
   */
  page(path: string): Page | undefined;
  /**
   * The decoded text of one of the site's style sheets, scripts, feeds, or other texts; undefined
   * if there is none.
   */
  text(url: string): string | undefined;
  /** How a folder responds to an address that doesn't exist; see soft 404. */
  baselineOf(folder: string): { simhash: string; status: number | null; url: string } | undefined;
  /**
   * What is known of external addresses after this run, with the number of failing runs. Those that
   * weren't requested this time have no response.
   */
  externals: ReadonlyMap<string, CachedExternal>;
  /**
   * False if page or time limits ended the crawl early: then what wasn't seen isn't necessarily
   * gone.
   */
  complete: boolean;
}
