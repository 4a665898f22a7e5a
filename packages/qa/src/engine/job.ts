import type { Crop } from "../browser/visit.ts";
import type { RenderedPage } from "../checks/needs-script.ts";
import type { QaLimits } from "../limits.ts";
import type { Finding, Scope } from "../finding.ts";

/** What the last run knew about an address of the site. */
export interface CachedResource {
  url: string;
  kind: "page" | "asset";
  etag: string | null;
  lastModified: string | null;
  hash: string | null;
  status: number | null;
  /** Of a page: a hash of everything that a browser renders, and of the engines. */
  browserKey: string | null;
  /** Whether a browser has opened it in this state. */
  browserVisited: boolean;
  /** What a browser saw of it that scripts may have made; valid while `browserVisited` is true. */
  rendered?: RenderedPage | null;
}

/** What is known about an external address. */
export interface CachedExternal {
  url: string;
  status: number | null;
  verdict: "ok" | "broken" | "unknown";
  code: string | null;
  checkedAt: string;
  lastOkAt: string | null;
  firstBadAt: string | null;
  /** Consecutive runs that found it broken. */
  badRuns: number;
  /** Not to be requested before this time, by its Retry-After. */
  notBefore: string | null;
  finalUrl: string | null;
  /**
   * The first 50 places that link to it, because a QA run over an unchanged site parses no page.
   */
  from: readonly ExternalOccurrence[];
}

/** A place that links to an external address. */
export interface ExternalOccurrence extends Occurrence {
  /** The fragment of the link, with its `#`; missing if it has none. */
  fragment?: string;
}

/** The state of the last full run: with another engine, nothing counts as unchanged. */
export interface CachedSite {
  engine: string;
  /** Covers all addresses and hashes of the site. */
  key: string;
}

export interface SiteCache {
  site: CachedSite | null;
  resources: readonly CachedResource[];
  externals: readonly CachedExternal[];
}

/** A job for an engine. Plain data, because it is sent to another process. */
export interface EngineJob {
  /** The name and version of the engine: what another one found unchanged is checked again. */
  engine: string;
  /** The start address of the site, HTTP or HTTPS. */
  url: string;
  /** Where to reach the site, if not by its host name, such as the web process on this machine. */
  connect: { host: string; port: number } | null;
  limits: QaLimits;
  /** `off`: without Chromium and without stand-in checks. */
  browser: "auto" | "off";
  /** `due`: those that are new, failed last time, or were last requested a day ago. */
  external: "all" | "due" | "none";
  /** Whether hosts that aren't public may be reached besides the site itself; default: no. */
  allowPrivate?: boolean;
  /**
   * Crawls the whole site even if its pages haven't changed, because headers and probes may have. A
   * browser opens only pages that it hasn't seen in this state, or not with all of their scripts.
   */
  full: boolean;
  /**
   * The site is Vitrine's own: its private addresses and forms are probed. Null for any other site.
   */
  own: {
    version: string;
    /** Addresses of private previews, to be requested without a session. */
    previews: readonly string[];
  } | null;
  /** Whether screenshots of elements with issues are taken; default: no. */
  screenshots?: boolean;
  cache: SiteCache;
  /** Texts that no page may show (`text.sample`); default: none. */
  forbiddenTexts?: readonly string[];
  /** ISO 8601. */
  now: string;
}

/** A defect that one run saw, with all of its places. */
export interface Observation extends Omit<
  Finding,
  "location" | "cause" | "placeFingerprint" | "isOfComponent"
> {
  scope: Scope;
  engine: string;
  /** The first 50. */
  occurrences: Occurrence[];
  occurrenceCount: number;
  pageCount: number;
}

export interface Occurrence {
  page: string;
  selector: string;
  line: number | null;
  text: string;
}

/** A screenshot of an element; `selector` is that of the places of findings. */
export interface Screenshot extends Crop {
  page: string;
}

/** The result of a QA run. */
export interface EngineResult {
  observations: Observation[];
  /** Nothing on the site has changed: findings of the scopes `page` and `site` still hold. */
  isUnchanged: boolean;
  /** Paths of all pages that were checked, including unchanged ones. */
  visited: string[];
  /** Pages whose browser findings still hold, because their rendering can't have changed. */
  unchangedBrowserPages: string[];
  /** Pages that a browser opened in this run. */
  browserVisited: string[];
  /** External addresses that were not requested this time: what is known about them still holds. */
  uncheckedExternals: string[];
  /**
   * Checks that didn't run this time because their input hasn't changed: their findings still hold.
   */
  unchangedChecks: string[];
  /** Screenshots, if they were wanted: at most 60 with 4 MB together. */
  screenshots?: Screenshot[];
  /** Checks that didn't run at all, or not everywhere: their findings don't count as fixed. */
  skippedChecks: { what: string; why: string; checks?: string[] }[];
  /** False if limits ended the run early: what wasn't seen isn't necessarily gone. */
  isComplete: boolean;
  cache: SiteCache;
  stats: { pages: number; links: number; browserPages: number; ms: number };
}

export type Step = "connecting" | "crawling" | "checking" | "external" | "browser" | "writing";

export interface Progress {
  step: Step;
  done: number;
  total: number | null;
  /** The current path or address. */
  at: string | null;
  findings: number;
}

/** What an engine needs from its caller. */
export interface EngineWatch {
  signal: AbortSignal;
  progress(progress: Progress): void;
  /** The number of messages from the contact form; null if it is unknown. */
  countMessages(): Promise<number | null>;
}

/** Checks a site. Throws the signal's reason if it is aborted. */
export type Engine = (job: EngineJob, watch: EngineWatch) => Promise<EngineResult>;
