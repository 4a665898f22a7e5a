import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import type { RedirectTrace } from "./response.ts";
import type { Cookies } from "./cookies.ts";
import { exchange, type Exchanged, type ExchangeRequest, type Failure } from "./exchange.ts";
import { type HostThrottle, rateLimitOf, retryAfterOf } from "./host-throttle.ts";

/** The connection to a host: dispatcher, pace, and known state. */
export interface HostConnection {
  dispatcher: Dispatcher;
  throttle: HostThrottle;
  /** The last failure to connect, and the number of failures in a row. */
  connectFailures: { failure: Failure | null; times: number };
  /** How often to retry a request. */
  retries: number;
  /** How long to wait before the first retry, in ms. */
  waitMs: number;
  /** Whether to leave a host alone for the rest of the run once it accepts no connection. */
  stopsOnFailure: boolean;
}

export interface RedirectingRequest {
  method: "GET" | "HEAD" | "POST";
  headers: Record<string, string>;
  body?: string | undefined;
  follow: boolean;
  cookies: Cookies | null;
  maxBytes: ExchangeRequest["maxBytes"];
  phaseMs: number;
}

export interface RequestContext {
  connectionTo: (url: URL) => HostConnection;
  signal: AbortSignal;
}

/** Browsers follow twenty; nobody needs more than ten. */
const maxHops = 10;
const flaky = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "EAI_AGAIN", "ECONNABORTED"]);
const connectPhases = new Set(["dns", "connect", "tls", "headers"]);
/** After this many failures in a row, a host counts as dead for the rest of the run. */
const maxConnectFailures = 3;

function none(failure: Failure): Exchanged {
  const body = Buffer.alloc(0);
  const times = { firstByteMs: 0, ms: failure.ms };
  return { status: null, headers: {}, body, truncated: false, failure, ...times };
}

/** How long to wait before a retry, in ms; null for no retry. */
function retryDelayMs(
  { status, failure }: Exchanged,
  connection: HostConnection,
  requestCount: number,
  retryAfterMs: number | null,
): number | null {
  if (requestCount > connection.retries) return null;
  if (failure) return flaky.has(failure.code) ? connection.waitMs * 4 ** (requestCount - 1) : null;
  if (requestCount > 1) return null;
  if (status === 429 || status === 503) return retryAfterMs === null ? null : 0;
  return status === 500 || status === 502 || status === 504 ? connection.waitMs * 3 : null;
}

function recordConnectFailure(connection: HostConnection, { status, failure }: Exchanged): void {
  if (status !== null) connection.connectFailures = { failure: null, times: 0 };
  else if (failure && connectPhases.has(failure.phase)) {
    connection.connectFailures = { failure, times: connection.connectFailures.times + 1 };
  }
}

/**
 * Requests one address, with retries where they may help, and passes the host's wishes on to its
 * throttle.
 */
async function requestHop(
  walker: RequestContext,
  url: URL,
  request: RedirectingRequest,
  walked: RedirectTrace,
): Promise<Exchanged> {
  const connection = walker.connectionTo(url);
  const started = performance.now();
  let last: Exchanged | null = null;
  for (let requestCount = 1; ; requestCount++) {
    const { failure, times } = connection.connectFailures;
    if (failure && times >= maxConnectFailures && connection.stopsOnFailure)
      return none({ ...failure, ms: 0 });
    const closed = await connection.throttle.enter();
    if (closed !== null) {
      if (!last) walked.retryAfterMs = Math.ceil(closed);
      return last ?? none({ phase: "headers", code: "PAUSED", ms: performance.now() - started });
    }
    const cookie = request.cookies?.headerFor(url.href);
    const headers = cookie === undefined ? request.headers : { ...request.headers, cookie };
    const { method, body, maxBytes: max, phaseMs } = request;
    const found = await exchange(connection.dispatcher, {
      url,
      method,
      headers,
      ...(body !== undefined && { body }),
      maxBytes: max,
      phaseMs,
    }).finally(() => connection.throttle.leave());
    const code = found.failure?.code ?? null;
    walked.attempts.push({ status: found.status, code, ms: Math.round(found.ms) });
    recordConnectFailure(connection, found);
    const retryAfterMs =
      found.status === 429 || found.status === 503
        ? retryAfterOf(found.headers["retry-after"], Date.now())
        : null;
    walked.retryAfterMs = retryAfterMs;
    const limited = found.status === null ? 0 : rateLimitOf(found.headers, Date.now());
    if (retryAfterMs !== null || limited > 0)
      connection.throttle.pause(Math.max(retryAfterMs ?? 0, limited));
    const wait =
      request.method === "POST"
        ? null
        : retryDelayMs(found, connection, requestCount, retryAfterMs);
    if (wait === null || walker.signal.aborted) return found;
    last = found;
    if (wait > 0) await sleep(wait, undefined, { signal: walker.signal }).catch(() => {});
  }
}

/**
 * The target of a redirect. Servers send UTF-8 where only ASCII is allowed, and browsers accept it.
 */
export function locationOf({ headers }: Pick<Exchanged, "headers">): string | undefined {
  const raw = headers["location"]?.split("\n")[0];
  if (raw === undefined || !/[\u0080-\uFFFF]/.test(raw)) return raw;
  return /[\u0100-\uFFFF]/.test(raw) ? raw : Buffer.from(raw, "latin1").toString("utf8");
}

const leadsOn = new Set([301, 302, 303, 307, 308]);

const redirectFailure = (found: Exchanged, code: string): Exchanged => ({
  ...found,
  failure: { phase: "redirect", code, ms: found.ms },
});

/** Requests an address and follows its redirects, each hop over the connection of its own host. */
export async function followRedirects(
  walker: RequestContext,
  start: URL,
  request: RedirectingRequest,
): Promise<RedirectTrace> {
  const walked = {
    method: request.method,
    hops: [],
    finalUrl: start.href,
    attempts: [],
    retryAfterMs: null,
  } as unknown as RedirectTrace;
  const seen = new Set<string>();
  let put = request;
  for (let url = start; ;) {
    const found = await requestHop(walker, url, put, walked);
    walked.exchanged = found;
    walked.finalUrl = url.href;
    const baked = await put.cookies?.keep(url.href, found.headers["set-cookie"]);
    if (found.status === null || !leadsOn.has(found.status) || !request.follow) return walked;
    const location = locationOf(found);
    if (location === undefined) return walked;
    const next = URL.parse(location, url.href);
    if (!next) return walked;
    const bad = whyNot(next, seen, walked.hops.length, baked ?? false);
    if (bad !== null) {
      walked.exchanged = redirectFailure(found, bad);
      return walked;
    }
    walked.hops.push({ url: url.href, status: found.status });
    seen.add(url.href.split("#")[0] ?? "");
    put = onward(put, found.status);
    url = next;
  }
}

function whyNot(next: URL, seen: Set<string>, hops: number, baked: boolean): string | null {
  if (next.protocol !== "http:" && next.protocol !== "https:") return "ESCHEME";
  if (hops >= maxHops) return "EHOPS";
  // A new cookie may make the same address work.
  return seen.has(next.href.split("#")[0] ?? "") && !baked ? "ELOOP" : null;
}

/** The request for the next hop, without what applied to the first address only. */
function onward(request: RedirectingRequest, status: number): RedirectingRequest {
  const {
    "if-none-match": _etag,
    "if-modified-since": _since,
    range: _range,
    ...headers
  } = request.headers;
  const asGet = request.method === "POST" && status !== 307 && status !== 308;
  return asGet ? { ...request, headers, method: "GET", body: undefined } : { ...request, headers };
}
