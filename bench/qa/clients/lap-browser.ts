import type { Visit } from "../../../packages/qa/src/browser/visit.ts";

export interface LapTab {
  /** Returns what was seen; null if a lap only drives. */
  visit(path: string, url: string): Promise<Visit | null>;
  close(): Promise<void>;
}

/** A browser with a way to open its tabs. */
export interface LapBrowser {
  openTab(): Promise<LapTab>;
  close(): Promise<void>;
}

export interface LapStart {
  origin: string;
  executable: string;
}
