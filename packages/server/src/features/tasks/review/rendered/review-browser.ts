import type { CDPSession } from "playwright-core";

/** Commands to a browser or one of its pages, by the Chrome DevTools Protocol. */
export type BrowserSession = Pick<CDPSession, "on" | "send">;

/** A running browser for one review. */
export interface RunningBrowser {
  root: BrowserSession;
  attach(targetId: string): Promise<BrowserSession>;
  /** Ends it and all processes that it has started. */
  close(): Promise<void>;
}

/** Starts a browser; null if none is installed. Throws if it doesn't start. */
export type ReviewBrowser = () => Promise<RunningBrowser | null>;
