import type { QaLimits } from "../limits.ts";
import type { EngineResult } from "../engine/job.ts";
import type { Pool } from "./pool.ts";
import type { Visit } from "./visit.ts";

export interface BrowserPage {
  /** As `Site` names it. */
  path: string;
  url: string;
  /** Its markup, where there is no browser; undefined when it can't be had. */
  html(): string | undefined;
}

/** How a browser is started for a site. */
export interface BrowserStartOptions {
  origin: string;
  /** Where the site itself is reached when not by its name. */
  connect: { host: string; port: number } | null;
  limits: QaLimits;
  signal: AbortSignal;
  /** Hosts that may be reached although they are not public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
  /** Chromium's program; null for none. Left out: where the system has it. */
  executable?: string | null;
}

export interface BrowserRunOptions extends BrowserStartOptions {
  pages: readonly BrowserPage[];
  onVisit(visit: Visit): void;
  /** One that was started before. Left out: another one is. */
  started?: StartedBrowser;
}

/** A browser that gets ready for its pages while something else is done. */
export interface StartedBrowser {
  /** Its tabs, or why there are none. */
  pool: Promise<Pool | string>;
  /** Ends it; nothing of it is left then. */
  stop(): Promise<void>;
}

export interface BrowserResult {
  environment: "chromium" | "jsdom";
  engines: string[];
  visited: string[];
  skippedChecks: EngineResult["skippedChecks"];
}
