import { LRUCache } from "lru-cache";
import type { Clock } from "../kit/clock.ts";

/** How a key stands against its limit. */
export interface Allowance {
  allowed: boolean;
  /** Takes in one window. */
  limit: number;
  /** Takes left now. */
  remaining: number;
  /** Until the next take is possible, ms; 0 when one is. */
  retryAfterMs: number;
  /** Until the whole limit is free again, ms. */
  resetMs: number;
}

export interface Throttle {
  /** Uses up one take, or says how long to wait; a refused take costs nothing. */
  take(key: string): Allowance;
  /** The same answer without using one up. */
  peek(key: string): Allowance;
  /** Gives back the newest take of a key. */
  refund(key: string): void;
  /** Forgets what a key has taken. */
  reset(key: string): void;
  /** Keys held, at most `maxKeys`. */
  readonly size: number;
}

/** About 12 MB when every key has used up sixty takes. */
const defaultMaxKeys = 20_000;

/**
 * At most `limit` takes in any span of `windowMs` (a sliding window, so no double burst where two
 * windows meet). Counts by the monotonic clock: setting the clock neither frees nor blocks anyone.
 * Memory is bounded by `maxKeys`; beyond it the key that asked longest ago is forgotten.
 */
export function makeThrottle(options: {
  clock: Clock;
  limit: number;
  windowMs: number;
  maxKeys?: number;
}): Throttle {
  const { clock, limit, windowMs } = options;
  const taken = new LRUCache<string, number[]>({ max: options.maxKeys ?? defaultMaxKeys });

  function current(key: string, now: number): number[] {
    const times = taken.get(key);
    if (times === undefined) return [];
    const firstInside = times.findIndex((time) => time > now - windowMs);
    if (firstInside === -1) times.length = 0;
    else if (firstInside > 0) times.splice(0, firstInside);
    return times;
  }

  function allowance(times: number[], now: number, allowed: boolean): Allowance {
    const full = times.length >= limit;
    const untilFree = (time: number | undefined) =>
      time === undefined ? 0 : Math.max(0, time + windowMs - now);
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - times.length),
      retryAfterMs: full ? untilFree(times[times.length - limit]) : 0,
      resetMs: untilFree(times.at(-1)),
    };
  }

  return {
    take(key) {
      const now = clock.monotonic();
      const times = current(key, now);
      const allowed = times.length < limit;
      if (allowed) {
        times.push(now);
        taken.set(key, times);
      }
      return allowance(times, now, allowed);
    },
    peek(key) {
      const now = clock.monotonic();
      const times = current(key, now);
      return allowance(times, now, times.length < limit);
    },
    refund(key) {
      taken.get(key)?.pop();
    },
    reset(key) {
      taken.delete(key);
    },
    get size() {
      return taken.size;
    },
  };
}

/** RateLimit fields (draft-ietf-httpapi-ratelimit-headers-06), and Retry-After (RFC 9110) when refused. */
export function throttleHeaders(allowance: Allowance): Record<string, string> {
  const seconds = (ms: number) => String(Math.ceil(ms / 1000));
  const headers: Record<string, string> = {
    "ratelimit-limit": String(allowance.limit),
    "ratelimit-remaining": String(allowance.remaining),
    "ratelimit-reset": seconds(allowance.resetMs),
  };
  if (!allowance.allowed) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(allowance.retryAfterMs / 1000)));
  }
  return headers;
}
