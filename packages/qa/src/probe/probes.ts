import type { CrawlResponse } from "../crawl/crawl.ts";
import type { Fetcher } from "../crawl/fetcher.ts";
import type { EngineResult } from "../engine/job.ts";

/** Sends requests to the site itself. */
export type ProbeFetcher = Pick<Fetcher, "own">;

/** The robots.txt of the site (RFC 9309). */
export interface Robots {
  url: string;
  response: CrawlResponse;
  /** Null if there is none, or if it can't be read. */
  text: string | null;
  /** The addresses of its Sitemap lines. */
  sitemaps: readonly string[];
  /** Whether any robot may read an address of the site; undefined for an external address. */
  isAllowed(url: string): boolean | undefined;
  /** The line that decides about an address, from 1; null if none does. */
  lineFor(url: string): { line: number; text: string } | null;
}

/** A sitemap file (sitemaps.org, protocol 0.9). */
export interface Sitemap {
  url: string;
  /** What named it: robots.txt, an index file's address, or nothing (a usual place). */
  from: "robots" | "usual" | { index: string };
  response: CrawlResponse;
  /** Null if it can't be read as either. */
  kind: "urls" | "index" | null;
  /** Why it can't be read; line and column from 1. */
  error: { line: number; column: number; message: string } | null;
  /** The number of entries, including those that aren't kept. */
  count: number;
  /** Decompressed. */
  bytes: number;
  /** The file was longer than the limit. */
  cut: boolean;
}

export interface SitemapEntry {
  /** Absolute, without fragment. */
  loc: string;
  lastmod: string | null;
  /** The file it is in. */
  sitemap: string;
  line: number;
}

/** What the site declares about itself, read before any page. */
export interface Seeds {
  robots: Robots;
  /** Those that were requested, including missing ones. */
  sitemaps: readonly Sitemap[];
  entries: readonly SitemapEntry[];
  /** Whether all sitemaps were read completely: an address in none of them isn't listed. */
  complete: boolean;
  /** The site's own addresses among the entries, each once. */
  urls: string[];
}

/** The response at an address that can't exist. */
export interface NotFoundProbe {
  response: CrawlResponse;
  /** The path that it redirects to; null if it doesn't redirect. */
  leadsTo: string | null;
  isNoindex: boolean;
  /** Whether a link leads to the home page. */
  homeLink: boolean;
  /** Links to pages of the site. */
  links: number;
  words: number;
}

export interface FeedProbe {
  url: string;
  /** The page that names it, and the place. */
  page: string;
  selector: string;
  response: CrawlResponse;
  format: "rss" | "atom" | "json" | null;
  error: { line: number | null; column: number | null; message: string } | null;
  items: number;
  /** Links of items to addresses of the site that don't exist. */
  broken: readonly { url: string; status: number | null }[];
}

/** A file that only the owner should be able to read. */
export interface ExposedFile {
  path: string;
  /** What it is, in a few plain words. */
  what: string;
  status: number;
  /** The bytes that prove it; never the secret itself. */
  magic: string;
  /** It may be public on purpose. */
  maybe: boolean;
}

export interface HealthProbe {
  response: CrawlResponse;
  /** How the response differs from the envelope; null if it doesn't. */
  invalid: { path: string; got: string } | null;
  status: "ok" | "degraded" | "down" | null;
  /** Components that were down at every request. */
  down: readonly { name: string; note: string }[];
  migrations: { status: string; note: string } | null;
  /** Until the last byte of each response, in ms, ascending. */
  times: readonly number[];
}

/** An address that must not be accessible without a session. */
export interface GateProbe {
  path: string;
  expected: number;
  response: CrawlResponse;
  /** Missing addresses get the same response: nothing proves that this is the protected content. */
  likeAnything: boolean;
}

export interface TlsProbe {
  host: string;
  /** ISO 8601. */
  notAfter: string;
  issuer: string;
  /** Whole days from now; negative after it has expired. */
  daysLeft: number;
}

/** A form's response to one submission. */
export interface FormResponse {
  status: number | null;
  ms: number;
  /** The content type without parameters. */
  type: string;
  /** For a JSON response: why it isn't an envelope. */
  invalid: { path: string; got: string } | null;
  ok: boolean | null;
  code: string | null;
  /** The fields that the response reports errors for. */
  fields: readonly string[];
  location: string | null;
}

/** How a form of the own site responded. */
export interface FormProbe {
  page: string;
  selector: string;
  line: number | null;
  /** Path and query. */
  action: string;
  honeypot: string;
  required: readonly string[];
  get: FormResponse;
  /** Sent as if from another site, with only the honeypot filled. */
  foreign: FormResponse;
  /** Complete, with the honeypot filled. */
  honeypotFilled: FormResponse | null;
  /** SHA-256 of the submitted message. */
  honeypotHash: string;
  /** The number of messages before and after; null if it is unknown. */
  messages: { before: number; after: number } | null;
  /** Whether every attempt stored a message; null if it is unknown. */
  honeypotWrote: boolean | null;
  takesJson: boolean;
  /** The same as submitted by a browser without scripts. */
  plain: FormResponse | null;
  /** Without the required fields. */
  empty: FormResponse | null;
  emptyMessages: FormProbe["messages"];
  /** All statuses in order. */
  statuses: readonly (number | null)[];
  /** The requests came from the site's own machine, which is never throttled. */
  loopback: boolean;
}

/** The results of all probes. Null or empty: not probed. */
export interface Probes extends Seeds {
  /** ISO 8601; dates are compared with it. */
  now: string;
  notFound: NotFoundProbe | null;
  feeds: readonly FeedProbe[];
  exposed: readonly ExposedFile[];
  health: HealthProbe | null;
  gates: readonly GateProbe[];
  previews: readonly GateProbe[];
  tls: TlsProbe | null;
  forms: readonly FormProbe[];
  /** Checks that didn't run: their findings don't count as fixed. */
  skippedChecks: EngineResult["skippedChecks"];
}
