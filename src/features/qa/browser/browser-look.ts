import type { Limits } from "../../../platform/config.ts";
import type { EngineResult } from "../engine/job.ts";
import type { Visit } from "./visit.ts";

export interface BrowserPage {
  /** As `Site` names it. */
  path: string;
  url: string;
  /** Its markup, where there is no browser; undefined when it can't be had. */
  html(): string | undefined;
}

export interface BrowserLook {
  pages: readonly BrowserPage[];
  origin: string;
  /** Where the site itself is reached when not by its name. */
  connect: { host: string; port: number } | null;
  limits: Limits["qa"];
  signal: AbortSignal;
  /** Hosts that may be reached although they are not public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
  onVisit(visit: Visit): void;
  /** Chromium's program; null for none. Left out: where the system has it. */
  executable?: string | null;
}

export interface BrowserOutcome {
  environment: "chromium" | "jsdom";
  engines: string[];
  visited: string[];
  notRun: EngineResult["notRun"];
}
