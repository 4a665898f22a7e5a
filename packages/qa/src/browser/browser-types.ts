import type { QaLimits } from "../limits.ts";
import type { EngineResult } from "../engine/job.ts";
import type { Pool } from "./pool.ts";
import type { Visit } from "./visit.ts";

export interface BrowserPage {
  /** As in `Site`. */
  path: string;
  url: string;
  /** Its markup for use without a browser; undefined if unavailable. */
  html(): string | undefined;
}

/** How to start a browser for a site. */
export interface BrowserStartOptions {
  origin: string;
  /** Where the site is reached if not by its name. */
  connect: { host: string; port: number } | null;
  limits: QaLimits;
  signal: AbortSignal;
  /** Hosts that may be reached although they aren't public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
  /** Whether screenshots of elements with issues are taken; default: no. */
  screenshots?: boolean | undefined;
  /** The path of Chromium; null for none. By default, it is searched for. */
  executable?: string | null;
}

export interface BrowserRunOptions extends BrowserStartOptions {
  pages: readonly BrowserPage[];
  onVisit(visit: Visit): void;
  /** A browser that was started before; by default, one is started. */
  started?: StartedBrowser;
}

/** A browser that is started in advance. */
export interface StartedBrowser {
  /** Its tabs, or why there are none. */
  pool: Promise<Pool | string>;
  /** Ends it completely. */
  stop(): Promise<void>;
}

export interface BrowserResult {
  environment: "chromium" | "jsdom";
  engines: string[];
  visited: string[];
  skippedChecks: EngineResult["skippedChecks"];
}
