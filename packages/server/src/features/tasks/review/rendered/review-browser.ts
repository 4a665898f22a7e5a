import type { CDPSession } from "playwright-core";

/** What is asked of a browser or of one of its pages, by the Chrome DevTools Protocol. */
export type BrowserSession = Pick<CDPSession, "on" | "send">;

/** A browser that runs, for one review. */
export interface RunningBrowser {
  root: BrowserSession;
  attach(targetId: string): Promise<BrowserSession>;
  /** Ends it and everything that it started. */
  close(): Promise<void>;
}

/** Starts a browser; null where none is installed. Throws where it doesn't start. */
export type ReviewBrowser = () => Promise<RunningBrowser | null>;
