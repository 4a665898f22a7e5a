import { setTimeout as sleep } from "node:timers/promises";

/** Limits the concurrent requests to one host, and stops them while the host asks us to wait. */
export interface HostThrottle {
  /**
   * Resolves to null when it is the caller's turn, who has to call `leave` later; otherwise to how
   * long the host wants to be left alone, in ms, which is longer than callers may wait.
   */
  enter(): Promise<number | null>;
  leave(): void;
  /** Lets nobody through for this long, in ms from now. */
  pause(ms: number): void;
}

/** `patienceMs` returns how long a caller waits at most; it may shrink with the remaining time. */
export function makeHostThrottle(
  max: number,
  maxWaitMs: () => number,
  signal: AbortSignal,
): HostThrottle {
  let inside = 0;
  let until = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else inside -= 1;
  };
  return {
    leave,
    pause(ms) {
      until = Math.max(until, performance.now() + ms);
    },
    async enter() {
      if (inside < max) inside += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      for (let left = until - performance.now(); left > 0; left = until - performance.now()) {
        if (left > maxWaitMs() || signal.aborted) {
          leave();
          return left;
        }
        await sleep(left, undefined, { signal }).catch(() => {});
      }
      return null;
    },
  };
}

/** Seconds or a date (RFC 9110, 10.2.3), in ms from `now`; null for neither. */
export function retryAfterOf(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.split("\n")[0]?.trim() ?? "";
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/**
 * How long to leave a host alone whose quota is used up, in ms, by its RateLimit fields: those of
 * the IETF drafts (`RateLimit: limit=10, remaining=0, reset=5`, `"default";r=0;t=5`) and the older
 * `X-RateLimit-*`. 0 while some quota is left.
 */
export function rateLimitOf(headers: Readonly<Record<string, string>>, now: number): number {
  const field = headers["ratelimit"];
  if (field !== undefined) {
    const remaining = /(?:remaining|\br)\s*=\s*(\d+)/i.exec(field)?.[1];
    const reset = /(?:reset|\bt)\s*=\s*(\d+)/i.exec(field)?.[1];
    return remaining === "0" && reset !== undefined ? Number(reset) * 1000 : 0;
  }
  for (const prefix of ["ratelimit-", "x-ratelimit-", "x-rate-limit-"]) {
    if (headers[`${prefix}remaining`] !== "0") continue;
    const reset = Number(headers[`${prefix}reset`] ?? Number.NaN);
    if (!(reset >= 0)) continue;
    // Some send the remaining seconds, some a Unix time.
    return reset > 1e9 ? Math.max(0, reset * 1000 - now) : reset * 1000;
  }
  return 0;
}
