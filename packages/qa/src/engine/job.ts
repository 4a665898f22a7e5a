import type { RenderedPage } from "../checks/needs-script.ts";
import type { QaLimits } from "../limits.ts";
import type { Finding, Scope } from "../finding.ts";

/** What the last run knew of an address of the site. */
export interface CachedResource {
  url: string;
  kind: "page" | "asset";
  etag: string | null;
  lastModified: string | null;
  hash: string | null;
  status: number | null;
  /** Of a page: the hash of all that a browser shows of it, and of what would look. */
  browserKey: string | null;
  /** Whether a browser has looked at it as it is. */
  browserVisited: boolean;
  /** What a browser has seen of it, where scripts may have made it; as long as `browserVisited` holds. */
  rendered?: RenderedPage | null;
}

/** What is known of an address of others. */
export interface CachedExternal {
  url: string;
  status: number | null;
  verdict: "ok" | "broken" | "unknown";
  code: string | null;
  checkedAt: string;
  lastOkAt: string | null;
  firstBadAt: string | null;
  /** Passes in a row that found it broken. */
  badRuns: number;
  /** Not to be asked again before, by its Retry-After. */
  notBefore: string | null;
  finalUrl: string | null;
  /** Where the site names it, the first 50: a QA run over an unchanged site reads no page. */
  from: readonly Occurrence[];
}

/** What the last whole run was made by: with another engine nothing counts as unchanged. */
export interface CachedSite {
  engine: string;
  /** Over all addresses and hashes of the site. */
  key: string;
}

export interface SiteCache {
  site: CachedSite | null;
  resources: readonly CachedResource[];
  externals: readonly CachedExternal[];
}

/** What an engine is asked to look at. Plain data: it goes to a process of its own. */
export interface EngineJob {
  /** The program that looks, with its version: what another one found unchanged is looked at anew. */
  engine: string;
  /** Where the site begins: http or https. */
  url: string;
  /** Where the site itself is reached when not by its name, such as the web process beside us. */
  connect: { host: string; port: number } | null;
  limits: QaLimits;
  /** `off`: without Chromium and without a stand-in. */
  browser: "auto" | "off";
  /** `due`: those that are new, were bad, or were last asked a day ago. */
  external: "all" | "due" | "none";
  /**
   * Reads all of the site, whatever has not changed: headers and doors may. A browser opens only
   * what it has not seen, or not with all of its scripts.
   */
  full: boolean;
  /** The site is this program's own: its doors and forms are tried. Null for any other site. */
  own: {
    version: string;
    /** Addresses of private previews, without a session. */
    previews: readonly string[];
  } | null;
  cache: SiteCache;
  /** Texts that no page may show (`text.sample`); none unless told. */
  forbiddenTexts?: readonly string[];
  /** ISO 8601. */
  now: string;
}

/** One defect as one run saw it, at however many places. */
export interface Observation extends Omit<Finding, "location" | "cause"> {
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

/** What a QA run came to. */
export interface EngineResult {
  observations: Observation[];
  /** Nothing of the site has changed: of the scopes `page` and `site`, all that was, still is. */
  isUnchanged: boolean;
  /** Pages that were visited and looked at, also those that had not changed. */
  visited: string[];
  /** Pages whose browser findings still hold, because nothing that they show has changed. */
  unchangedBrowserPages: string[];
  /** Pages that a browser looked at now. */
  browserVisited: string[];
  /** Addresses of others that were not asked this time: what was known still holds. */
  uncheckedExternals: string[];
  /**
   * Checks that were not asked this time, because what they look at has not changed: what they found
   * still holds.
   */
  unchangedChecks: string[];
  /** Checks that were not made at all, or not everywhere: what they would find isn't gone. */
  skippedChecks: { what: string; why: string; checks?: string[] }[];
  /** False when the limits cut it: what wasn't met isn't gone. */
  isComplete: boolean;
  cache: SiteCache;
  stats: { pages: number; links: number; browserPages: number; ms: number };
}

export type Step = "connecting" | "crawling" | "checking" | "external" | "browser" | "writing";

export interface Progress {
  step: Step;
  done: number;
  total: number | null;
  /** What it is at: a path or an address. */
  at: string | null;
  findings: number;
}

/** What an engine needs of whoever runs it. */
export interface EngineWatch {
  signal: AbortSignal;
  progress(progress: Progress): void;
  /** How many messages the contact form has brought; null when nothing can tell. */
  countMessages(): Promise<number | null>;
}

/** What looks at a site. Throws the signal's reason when it is aborted. */
export type Engine = (job: EngineJob, watch: EngineWatch) => Promise<EngineResult>;
