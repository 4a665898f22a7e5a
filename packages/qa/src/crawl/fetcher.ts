import { makeGuardedDispatcher } from "../system/guard.ts";
import type { Resolve } from "../system/resolve.ts";
import type { QaLimits } from "../limits.ts";
import type { KnownExternal, KnownResource } from "../engine/job.ts";
import { answerOf, unasked } from "./answer.ts";
import { makeCookies } from "./cookies.ts";
import type { Answer } from "./crawl.ts";
import { makePace } from "./pace.ts";
import { walk, type Walker, type WalkRequest, type Way } from "./walk.ts";

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
  limits: QaLimits;
  signal: AbortSignal;
  /** Hosts that may be reached although they are not public. The site itself always may. */
  allow?: (host: string, port: number) => boolean;
  /** How names are looked up; left out: as `makeGuardedDispatcher` does. */
  resolve?: Resolve;
}

const about = {
  "user-agent": "Mozilla/5.0 (compatible; VitrineQA/1.0)",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "accept-language": "en,*;q=0.5",
};
const ownHeaders = { ...about, "accept-encoding": "gzip" };
const strangersHeaders = { ...about, "accept-encoding": "identity" };
/** Of a stranger's page only the start is read: it is asked whether it is there. */
const strangersBytes = 64 * 1024;
/** Strangers that are asked at the same time. */
const strangersAtOnce = 100;

/** Of what nobody looks into, such as films and archives, the start tells all there is to tell. */
const largeBytes = 256 * 1024;
const lookedInto = /^(?:text\/|image\/)|html|xml|json|javascript/;

function ownBytesOf(headers: Answer["headers"]): number {
  const isLarge = Number(headers["content-length"] ?? 0) > largeBytes;
  const type = headers["content-type"] ?? "";
  return isLarge && type !== "" && !lookedInto.test(type)
    ? strangersBytes
    : Number.MAX_SAFE_INTEGER;
}

const portOf = (url: URL): number =>
  url.port !== "" ? Number(url.port) : url.protocol === "https:" ? 443 : 80;

function conditions(known: KnownResource | undefined): Record<string, string> {
  if (!known) return {};
  return {
    ...(known.etag !== null && { "if-none-match": known.etag }),
    ...(known.lastModified !== null && { "if-modified-since": known.lastModified }),
  };
}

/** The ways to the site and to each host of strangers. */
function makeWays({ origin, connect, limits, signal, allow, resolve }: FetcherOptions) {
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
  const strangers = makeGuardedDispatcher({
    ...guard,
    connections: limits.perHost,
    allow: (host, port) => allow?.(host, port) ?? false,
  });
  const begun = performance.now();
  // Nobody waits for a host longer than a quarter of what is left, nor than half a minute.
  const patienceMs = () =>
    Math.min(30_000, (limits.seconds * 1000 - (performance.now() - begun)) / 4);
  const trouble = { failure: null, times: 0 };
  const ownWay: Way = {
    dispatcher: own,
    pace: makePace(limits.connections, patienceMs, signal),
    trouble,
    retries: 2,
    waitMs: 20,
    givesUp: false,
  };
  const ways = new Map<string, Way>();
  const wayTo = (url: URL): Way => {
    if (url.origin === home.origin) return ownWay;
    const known = ways.get(url.host);
    if (known) return known;
    const pace = makePace(limits.perHost, patienceMs, signal);
    const way: Way = {
      dispatcher: strangers,
      pace,
      trouble,
      retries: 1,
      waitMs: 300,
      givesUp: true,
    };
    ways.set(url.host, way);
    return way;
  };
  const close = async () => {
    await Promise.all([own.destroy(), strangers.destroy()]);
  };
  return { wayTo, close, phaseMs };
}

/** Makes what asks the site and strangers; `close` ends all that is under way. */
export function makeFetcher(options: FetcherOptions): Fetcher {
  const { limits, signal } = options;
  const { wayTo, close, phaseMs } = makeWays(options);
  const walker: Walker = { wayTo, signal };
  const cookies = makeCookies();
  const atOnce = makePace(strangersAtOnce, () => 0, signal);
  const ownMost = limits.bodyMiB * 1024 * 1024;
  const end = () => void close().catch(() => {});
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });

  const askOwn = async (start: URL, ask: Ask) => {
    const { known, follow = true, most = ownMost, method = "GET", body } = ask;
    const walked = await walk(walker, start, {
      method,
      headers: { ...ownHeaders, ...conditions(known), ...ask.headers },
      body,
      follow,
      cookies: ask.cookies === false ? null : cookies,
      // Who says how much wants all of that, whatever it is.
      most: (headers) => ask.most ?? Math.min(most, ownBytesOf(headers)),
      phaseMs,
    });
    const found = await answerOf(start.href, walked, most, follow, true);
    const { answer } = found;
    if (!known || answer.status !== 304 || answer.hops.length > 0) return found;
    const same = { verdict: "ok", reason: null, notModified: true, hash: known.hash } as const;
    return { answer: { ...answer, ...same, status: known.status ?? 200 }, body: null };
  };

  return {
    async own(url, ask = {}) {
      const start = bare(url);
      if (start && !signal.aborted) return askOwn(start, ask);
      return { answer: unasked(url, start ? aborted : noHost, null), body: null };
    },
    async stranger(url) {
      const start = bare(url);
      if (!start || signal.aborted) return unasked(url, start ? aborted : noHost, null);
      await atOnce.enter();
      try {
        return await askStranger(walker, start, phaseMs);
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

async function askAs(walker: Walker, start: URL, method: "HEAD" | "GET", phaseMs: number) {
  const request: WalkRequest = {
    method,
    headers: strangersHeaders,
    follow: true,
    // Many lead in a circle until their cookie comes back.
    cookies: makeCookies(),
    most: () => strangersBytes,
    phaseMs,
  };
  const walked = await walk(walker, start, request);
  return (await answerOf(start.href, walked, strangersBytes, true, false)).answer;
}

/** Failures that another way of asking does not help: nobody is there to answer. */
const isFinal = ({ failure }: Answer): boolean =>
  failure !== null &&
  failure.phase !== "redirect" &&
  (failure.phase !== "headers" || failure.code === "PAUSED");

/** HEAD, and GET where that is not simply well: many answer the first wrong, or not at all. */
async function askStranger(walker: Walker, start: URL, phaseMs: number): Promise<Answer> {
  const told = await askAs(walker, start, "HEAD", Math.max(phaseMs / 2, Math.min(phaseMs, 1000)));
  const isSettled = told.verdict === "ok" || told.retryAfterMs !== null || isFinal(told);
  if (isSettled || walker.signal.aborted) return told;
  const asked = await askAs(walker, start, "GET", phaseMs);
  const attempts = [...told.attempts, ...asked.attempts];
  // A page that breaks off is there all the same.
  const isThere = asked.status !== null && asked.status < 300 && asked.failure?.phase === "body";
  return isThere ? { ...asked, attempts, verdict: "ok", reason: null } : { ...asked, attempts };
}

const aborted = { phase: "connect", code: "ABORTED", ms: 0 } as const;
const noHost = { phase: "refused", code: "EHOST", ms: 0 } as const;

/** An address as it is asked for: without fragment, and without a name and password. */
function bare(url: string): URL | null {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return null;
  if (/[#@]/.test(url)) [parsed.hash, parsed.username, parsed.password] = ["", "", ""];
  return parsed;
}
