import type { CrawlResponse } from "../crawl/crawl.ts";
import type { Fetcher } from "../crawl/fetcher.ts";
import type { EngineResult } from "../engine/job.ts";

/** What asks the site itself. */
export type ProbeFetcher = Pick<Fetcher, "own">;

/** What the site asks robots to leave alone (RFC 9309). */
export interface Robots {
  url: string;
  response: CrawlResponse;
  /** Null when there is none that could be read. */
  text: string | null;
  /** The addresses of its Sitemap lines. */
  sitemaps: readonly string[];
  /** Whether any robot may read an address of the site; undefined for an address of others. */
  isAllowed(url: string): boolean | undefined;
  /** The line that decides about an address, from 1; null when none does. */
  lineFor(url: string): { line: number; text: string } | null;
}

/** One file that lists the site's addresses (sitemaps.org, protocol 0.9). */
export interface Sitemap {
  url: string;
  /** Who named it: robots.txt, an index file's address, or nobody: one of the usual places. */
  from: "robots" | "usual" | { index: string };
  response: CrawlResponse;
  /** Null when it can't be read as either. */
  kind: "urls" | "index" | null;
  /** Why it can't be read; line and column from 1. */
  error: { line: number; column: number; message: string } | null;
  /** How many entries it has, also beyond what is kept. */
  count: number;
  /** Unpacked. */
  bytes: number;
  /** The file was longer than is read. */
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

/** What the site says of itself before anything of it is read. */
export interface Seeds {
  robots: Robots;
  /** Those that were asked for, also where nothing was. */
  sitemaps: readonly Sitemap[];
  entries: readonly SitemapEntry[];
  /** All sitemaps were read to their ends: what is in none of them is listed nowhere. */
  complete: boolean;
  /** The site's own addresses among the entries, each once. */
  urls: string[];
}

/** An address that can't be there. */
export interface NotFoundProbe {
  response: CrawlResponse;
  /** The path that it was led to; null when it wasn't. */
  leadsTo: string | null;
  isNoindex: boolean;
  /** Whether a link leads to the first page of the site. */
  homeLink: boolean;
  /** Links to pages of the site. */
  links: number;
  words: number;
}

export interface FeedProbe {
  url: string;
  /** The page that names it, and where. */
  page: string;
  selector: string;
  response: CrawlResponse;
  format: "rss" | "atom" | "json" | null;
  error: { line: number | null; column: number | null; message: string } | null;
  items: number;
  /** Links of items to addresses of the site that are not there. */
  broken: readonly { url: string; status: number | null }[];
}

/** A file that nobody but the owner should be able to read. */
export interface ExposedFile {
  path: string;
  /** What it is, in a few plain words. */
  what: string;
  status: number;
  /** What of its bytes proves it; never the secret itself. */
  magic: string;
  /** It may well be meant to be there. */
  maybe: boolean;
}

export interface HealthProbe {
  response: CrawlResponse;
  /** Why the answer is not the envelope that it should be; null when it is. */
  invalid: { path: string; got: string } | null;
  status: "ok" | "degraded" | "down" | null;
  /** Parts that were down each time they were asked for. */
  down: readonly { name: string; note: string }[];
  migrations: { status: string; note: string } | null;
  /** Until the last byte of each answer, in ms, in rising order. */
  times: readonly number[];
}

/** A door that must not open without a session. */
export interface GateProbe {
  path: string;
  expected: number;
  response: CrawlResponse;
  /** Addresses that aren't there answer just so: nothing proves that this is what it should guard. */
  likeAnything: boolean;
}

export interface TlsProbe {
  host: string;
  /** ISO 8601. */
  notAfter: string;
  issuer: string;
  /** Whole days from now; negative when it has run out. */
  daysLeft: number;
}

/** What was said to one question of a form. */
export interface FormResponse {
  status: number | null;
  ms: number;
  /** The content type without parameters. */
  type: string;
  /** Of a JSON answer: why it is no envelope. */
  invalid: { path: string; got: string } | null;
  ok: boolean | null;
  code: string | null;
  /** The fields that the answer complains of. */
  fields: readonly string[];
  location: string | null;
}

/** How a form of the own site answered. */
export interface FormProbe {
  page: string;
  selector: string;
  line: number | null;
  /** Path and query. */
  action: string;
  honeypot: string;
  required: readonly string[];
  get: FormResponse;
  /** Sent as if from another site, with nothing in it but the honeypot. */
  foreign: FormResponse;
  /** Whole, with the honeypot filled. */
  honeypotFilled: FormResponse | null;
  /** SHA-256 of what was sent so. */
  honeypotHash: string;
  /** How many messages there were before and after; null when nothing can tell. */
  messages: { before: number; after: number } | null;
  /** Whether messages came to be each time it was tried; null when nothing can tell. */
  honeypotWrote: boolean | null;
  takesJson: boolean;
  /** The same as a browser without script sends it. */
  plain: FormResponse | null;
  /** Without what is required. */
  empty: FormResponse | null;
  emptyMessages: FormProbe["messages"];
  /** All statuses in the order of asking. */
  statuses: readonly (number | null)[];
  /** The site was asked from its own machine, which is never throttled. */
  loopback: boolean;
}

/** What was found out by trying the site's doors, besides its pages. Null or empty: was not tried. */
export interface Probes extends Seeds {
  /** ISO 8601: what dates are held against. */
  now: string;
  notFound: NotFoundProbe | null;
  feeds: readonly FeedProbe[];
  exposed: readonly ExposedFile[];
  health: HealthProbe | null;
  gates: readonly GateProbe[];
  previews: readonly GateProbe[];
  tls: TlsProbe | null;
  forms: readonly FormProbe[];
  /** Checks that could not be made: what they would find isn't gone. */
  skippedChecks: EngineResult["skippedChecks"];
}
