import type { CachedExternal } from "../engine/job.ts";
import type { Page } from "../page/page.ts";
import type { Site, SiteResponse } from "../site/site.ts";

export type Verdict = SiteResponse["verdict"];

/** Where a question got stuck. `refused`: an address that strangers may not lead us to. */
export type FailurePhase = "refused" | "dns" | "connect" | "tls" | "headers" | "body" | "redirect";

/** What came back for one address. */
export interface CrawlResponse extends SiteResponse {
  /** As asked for: absolute, without a fragment. */
  url: string;
  method: "GET" | "HEAD" | "POST";
  failure: { phase: FailurePhase; code: string; ms: number } | null;
  /** Whether the body was longer than is read. */
  truncated: boolean;
  /** Until the first byte and the last, in ms. */
  firstByteMs: number;
  ms: number;
  attempts: readonly { status: number | null; code: string | null; ms: number }[];
  /** The site said that nothing has changed since the last run; hash and sizes are of then. */
  notModified: boolean;
  /** How long the host asked to be left alone, in ms from when it said so; null when it did not. */
  retryAfterMs: number | null;
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

/** One place in the site that names an address. */
export interface Reference {
  kind: ReferenceKind;
  /** Absolute, with its fragment. */
  url: string;
  /** As it is written. */
  raw: string;
  /** The page it is on, as `Site` names it: decoded path, with the query where there is one. */
  page: string;
  /** As `locate` names the element. */
  selector: string;
  /** From 1; null when it is not known. */
  line: number | null;
  /** The words of the link or the alternative text. */
  text: string;
  /** The style sheet it is in, where it isn't in the page itself. */
  sheet?: string;
  rel?: string;
}

/** What is kept of a page when the page itself is let go. */
export interface PageFacts {
  title: string;
  description: string;
  /** As written; null when there is none. */
  canonical: string | null;
  /** Whether search engines are asked to leave it out, by the page or by its headers. */
  isNoindex: boolean;
  lang: string;
  headings: readonly { level: number; text: string }[];
  words: number;
  /** 64 bits over the words of the main part, in hex: like pages have like ones (Charikar 2002). */
  simhash: string;
  /** SHA-256 of the main part's text. */
  textHash: string;
  /** Ids and names that fragments lead to. */
  fragmentTargets: ReadonlySet<string>;
  alternates: readonly { lang: string; url: string }[];
  hasFormFields: boolean;
}

export interface CrawledPage {
  /** As `Site` names it. */
  path: string;
  url: string;
  response: CrawlResponse;
  facts: PageFacts;
  /** Links from the start; null for what only the sitemap knows. */
  depth: number | null;
  /** The page that led here first. */
  from: string | null;
}

/** A site as one crawl found it. */
export interface Crawl {
  start: string;
  origin: string;
  /** The same to page checks as a built site is. */
  site: Site;
  pages: ReadonlyMap<string, CrawledPage>;
  /** By address without fragment: the site's own and strangers'. */
  responses: ReadonlyMap<string, CrawlResponse>;
  references: readonly Reference[];
  referencesTo(url: string): readonly Reference[];
  isOwn(url: string): boolean;
  /** A page with its elements; read again where it was let go. Undefined for what is none. */
  page(path: string): Page | undefined;
  /** The decoded text of an own style sheet, script, feed or other text; undefined for nothing. */
  text(url: string): string | undefined;
  /** What answers of a folder for an address that isn't there look like; see soft 404. */
  baselineOf(folder: string): { simhash: string; status: number | null; url: string } | undefined;
  /**
   * What is known of others' addresses after this run, with how many runs found them bad. Those
   * that were not asked this time have no answer.
   */
  externals: ReadonlyMap<string, CachedExternal>;
  /** False when limits of pages or time cut it: then what wasn't met isn't gone. */
  complete: boolean;
}
