import { makeGuardedDispatcher } from "../system/guard.ts";
import type { Resolve } from "../system/resolve.ts";
import type { QaLimits } from "../limits.ts";
import type { CachedExternal, CachedResource } from "../engine/job.ts";
import { toResponse, unrequestedResponse } from "./response.ts";
import { makeCookies } from "./cookies.ts";
import type { CrawlResponse } from "./crawl.ts";
import { readExternalPage } from "./external-page.ts";
import { makeHostThrottle } from "./host-throttle.ts";
import {
  followRedirects,
  type RequestContext,
  type RedirectingRequest,
  type HostConnection,
} from "./follow-redirects.ts";

/** A request to the site. */
export interface FetchRequest {
  method?: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Whether the site's cookies are sent and stored; default: true. */
  cookies?: boolean;
  /** Whether redirects are followed; default: true. */
  follow?: boolean;
  /** From the last run: makes a conditional request. */
  cached?: CachedResource;
  /** The maximum of the body to read, in bytes; default: from the limits. */
  maxBytes?: number;
}

/**
 * Sends requests to the site itself, and to external addresses through the guard. Never throws
 * because of what a server does.
 */
export interface Fetcher {
  own(url: string, ask?: FetchRequest): Promise<{ answer: CrawlResponse; body: Buffer | null }>;
  /** GET, twice without a response. Retry-After is honored. */
  external(url: string, known?: CachedExternal): Promise<CrawlResponse>;
  close(): Promise<void>;
}

export interface FetcherOptions {
  origin: string;
  /** Where to reach the site, if not by its host name. */
  connect: { host: string; port: number } | null;
  /** `phaseSeconds` and `seconds` may be fractions. */
  limits: QaLimits;
  signal: AbortSignal;
  /** Hosts that may be reached although they aren't public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
  /** How to resolve host names; default: as `makeGuardedDispatcher` does. */
  resolve?: Resolve;
}

const about = {
  "user-agent": "Mozilla/5.0 (compatible; VitrineQA/1.0)",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "accept-language": "en,*;q=0.5",
};
const ownHeaders = { ...about, "accept-encoding": "gzip" };
const externalHeaders = { ...about, "accept-encoding": "identity" };
/** Only the beginning of an external page is read, because only its existence matters. */
const maxExternalBytes = 64 * 1024;
/** The number of concurrent external requests. */
const maxConcurrentExternals = 100;

/** For files that aren't inspected, such as videos and archives, the beginning is enough. */
const largeBytes = 256 * 1024;
const inspectedTypes = /^(?:text\/|image\/)|html|xml|json|javascript/;

function ownBytesOf(headers: CrawlResponse["headers"]): number {
  const isLarge = Number(headers["content-length"] ?? 0) > largeBytes;
  const type = headers["content-type"] ?? "";
  return isLarge && type !== "" && !inspectedTypes.test(type)
    ? maxExternalBytes
    : Number.MAX_SAFE_INTEGER;
}

const portOf = (url: URL): number =>
  url.port !== "" ? Number(url.port) : url.protocol === "https:" ? 443 : 80;

function conditions(known: CachedResource | undefined): Record<string, string> {
  if (!known) return {};
  return {
    ...(known.etag !== null && { "if-none-match": known.etag }),
    ...(known.lastModified !== null && { "if-modified-since": known.lastModified }),
  };
}

/** The connections to the site and to each external host. */
function makeConnections({ origin, connect, limits, signal, allow, resolve }: FetcherOptions) {
  const home = new URL(origin);
  const isHome = (host: string, port: number) =>
    port === portOf(home) && (host === home.hostname || `[${host}]` === home.hostname);
  const phaseMs = limits.phaseSeconds * 1000;
  const guard = {
    connectMs: phaseMs,
    ...(resolve && { resolve }),
  };
  const own = makeGuardedDispatcher({
    ...guard,
    connections: limits.connections,
    allow: (host, port) => isHome(host, port) || (allow?.(host, port) ?? false),
    route: (host, port) => (connect && isHome(host, port) ? connect : null),
  });
  const externalLinks = makeGuardedDispatcher({
    ...guard,
    connections: limits.perHost,
    allow: (host, port) => allow?.(host, port) ?? false,
  });
  const started = performance.now();
  // A host may take at most a quarter of the remaining time, and at most half a minute.
  const maxWaitMs = () =>
    Math.min(30_000, (limits.seconds * 1000 - (performance.now() - started)) / 4);
  const connectFailures = { failure: null, times: 0 };
  const ownConnection: HostConnection = {
    dispatcher: own,
    throttle: makeHostThrottle(limits.connections, maxWaitMs, signal),
    connectFailures,
    retries: 2,
    waitMs: 20,
    stopsOnFailure: false,
  };
  const connections = new Map<string, HostConnection>();
  const connectionTo = (url: URL): HostConnection => {
    if (url.origin === home.origin) return ownConnection;
    const known = connections.get(url.host);
    if (known) return known;
    const throttle = makeHostThrottle(limits.perHost, maxWaitMs, signal);
    const connection: HostConnection = {
      dispatcher: externalLinks,
      throttle,
      connectFailures,
      retries: 1,
      waitMs: 300,
      stopsOnFailure: true,
    };
    connections.set(url.host, connection);
    return connection;
  };
  const close = async () => {
    await Promise.all([own.destroy(), externalLinks.destroy()]);
  };
  return { connectionTo, close, phaseMs };
}

/** Makes a fetcher; `close` aborts all open requests. */
export function makeFetcher(options: FetcherOptions): Fetcher {
  const { limits, signal } = options;
  const { connectionTo, close, phaseMs } = makeConnections(options);
  const walker: RequestContext = { connectionTo, signal };
  const cookies = makeCookies();
  const atOnce = makeHostThrottle(maxConcurrentExternals, () => 0, signal);
  const maxOwnBytes = limits.bodyMiB * 1024 * 1024;
  const end = () => void close().catch(() => {});
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });

  const askOwn = async (start: URL, ask: FetchRequest) => {
    const { cached, follow = true, maxBytes: max = maxOwnBytes, method = "GET", body } = ask;
    const walked = await followRedirects(walker, start, {
      method,
      headers: { ...ownHeaders, ...conditions(cached), ...ask.headers },
      body,
      follow,
      cookies: ask.cookies === false ? null : cookies,
      // A caller who sets a limit wants that much of any file.
      maxBytes: (headers) => ask.maxBytes ?? Math.min(max, ownBytesOf(headers)),
      phaseMs,
    });
    const found = await toResponse(start.href, walked, max, follow, true);
    const { answer: response } = found;
    if (!cached || response.status !== 304 || response.hops.length > 0) return found;
    const same = { verdict: "ok", reason: null, notModified: true, hash: cached.hash } as const;
    return { answer: { ...response, ...same, status: cached.status ?? 200 }, body: null };
  };

  return {
    async own(url, ask = {}) {
      const start = bare(url);
      if (start && !signal.aborted) return askOwn(start, ask);
      return { answer: unrequestedResponse(url, start ? aborted : noHost, null), body: null };
    },
    async external(url) {
      const start = bare(url);
      if (!start || signal.aborted) return unrequestedResponse(url, start ? aborted : noHost, null);
      await atOnce.enter();
      try {
        return await fetchExternal(walker, start, phaseMs);
      } finally {
        atOnce.leave();
      }
    },
    async close() {
      signal.removeEventListener("abort", end);
      await close();
    },
  };
}

async function fetchOnce(walker: RequestContext, start: URL, phaseMs: number) {
  const request: RedirectingRequest = {
    method: "GET",
    headers: externalHeaders,
    follow: true,
    // Many redirect in a circle until their cookie comes back.
    cookies: makeCookies(),
    maxBytes: () => maxExternalBytes,
    phaseMs,
  };
  const walked = await followRedirects(walker, start, request);
  const { answer, body } = await toResponse(start.href, walked, maxExternalBytes, true, false);
  const externalPage = readExternalPage(answer, body);
  return externalPage ? { ...answer, externalPage } : answer;
}

/** Failures that a second request may not have: nothing came, or the connection broke off. */
const mayPass = ({ status, failure }: CrawlResponse): boolean =>
  status === null && failure?.phase === "headers" && failure.code !== "PAUSED";

/**
 * GET, once more if there is no response. Not HEAD: many servers respond to it in another way than to
 * what visitors send. Only the beginning of the body is read.
 */
async function fetchExternal(
  walker: RequestContext,
  start: URL,
  phaseMs: number,
): Promise<CrawlResponse> {
  const firstMs = Math.max(phaseMs / 2, Math.min(phaseMs, 1000));
  const first = await fetchOnce(walker, start, firstMs);
  const isSettled = !mayPass(first) || walker.signal.aborted;
  const last = isSettled ? first : await fetchOnce(walker, start, phaseMs);
  const attempts = isSettled ? first.attempts : [...first.attempts, ...last.attempts];
  // A page whose body breaks off exists nevertheless.
  const isThere = last.status !== null && last.status < 300 && last.failure?.phase === "body";
  return isThere ? { ...last, attempts, verdict: "ok", reason: null } : { ...last, attempts };
}

const aborted = { phase: "connect", code: "ABORTED", ms: 0 } as const;
const noHost = { phase: "refused", code: "EHOST", ms: 0 } as const;

/** An address as requested: without fragment, user name, and password. */
function bare(url: string): URL | null {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return null;
  if (/[#@]/.test(url)) [parsed.hash, parsed.username, parsed.password] = ["", "", ""];
  return parsed;
}
