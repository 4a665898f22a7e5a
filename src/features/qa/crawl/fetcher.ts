import type { Limits } from "../../../platform/config.ts";
import type { KnownExternal, KnownResource } from "../engine/job.ts";
import type { Answer } from "./crawl.ts";

/** How one question to the site is put. */
export interface Ask {
  method?: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Whether the site's cookies are sent and kept; left out: yes. */
  cookies?: boolean;
  /** Whether redirects are followed; left out: yes. */
  follow?: boolean;
  /** Of the last pass: the site is asked only for what has changed since. */
  known?: KnownResource;
  /** How much of the body is read, in bytes; left out: as the limits say. */
  most?: number;
}

/** Asks the site itself, and strangers through the guard. Nothing that they do makes it throw. */
export interface Fetcher {
  own(url: string, ask?: Ask): Promise<{ answer: Answer; body: Buffer | null }>;
  /** HEAD, then GET on anything but 2xx and on silence. Retry-After is honoured. */
  stranger(url: string, known?: KnownExternal): Promise<Answer>;
  close(): Promise<void>;
}

export interface FetcherOptions {
  origin: string;
  /** Where the site itself is reached when not by its name. */
  connect: { host: string; port: number } | null;
  /** `phaseSeconds` and `seconds` may be fractions. */
  limits: Limits["qa"];
  signal: AbortSignal;
  /** Hosts that may be reached although they are not public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
}

export function makeFetcher(_options: FetcherOptions): Fetcher {
  throw new Error("not there yet");
}
