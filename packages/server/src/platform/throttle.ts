import { LRUCache } from "lru-cache";
import type { Clock } from "../kit/clock.ts";

/** The state of a key's limit. */
export interface Allowance {
  allowed: boolean;
  /** Maximum uses in one window. */
  limit: number;
  /** Uses left now. */
  remaining: number;
  /** Time until the next use is possible, ms; 0 if it is now. */
  retryAfterMs: number;
  /** Time until the whole limit is available again, ms. */
  resetMs: number;
}

export interface Throttle {
  /** Counts a use, or says how long to wait; a refused use isn't counted. */
  take(key: string): Allowance;
  /** The same without counting. */
  peek(key: string): Allowance;
  /** Takes back the newest use of a key. */
  refund(key: string): void;
  /** Resets a key. */
  reset(key: string): void;
  /** Number of keys held, at most `maxKeys`. */
  readonly size: number;
}

/** A limit on attempts, which may be counted on all nodes of an instance together. */
export interface AttemptLimit {
  /** The refusal of a key that is known without asking a database; null if there may be none. */
  refusal(key: string): Allowance | null;
  take(key: string): Promise<Allowance>;
  peek(key: string): Promise<Allowance>;
  refund(key: string): Promise<void>;
  reset(key: string): Promise<void>;
}

/** Opens the limit with this name: at most `limit` attempts in any span of `windowMs`. */
export type OpenAttemptLimit = (options: {
  name: string;
  limit: number;
  windowMs: number;
}) => AttemptLimit;

/** Limits that are counted in this process. */
export function openLocalLimits(clock: Clock): OpenAttemptLimit {
  return ({ limit, windowMs }) => {
    const throttle = makeThrottle({ clock, limit, windowMs });
    return {
      refusal(key) {
        const allowance = throttle.peek(key);
        return allowance.allowed ? null : allowance;
      },
      take: async (key) => throttle.take(key),
      peek: async (key) => throttle.peek(key),
      refund: async (key) => throttle.refund(key),
      reset: async (key) => throttle.reset(key),
    };
  };
}

/** About 12 MB if every key has sixty uses. */
const defaultMaxKeys = 20_000;

/**
 * Allows at most `limit` uses in any span of `windowMs` (a sliding window, so there is no double
 * burst at a boundary). Uses the monotonic clock: setting the clock neither frees nor blocks
 * anyone. Memory is limited by `maxKeys`; beyond that, the least recently used key is forgotten.
 */
export function makeThrottle(options: {
  clock: Clock;
  limit: number;
  windowMs: number;
  maxKeys?: number;
}): Throttle {
  const { clock, limit, windowMs } = options;
  // With `max`, it would take the memory of all keys, and the time to fill it, from the start.
  const maxSize = options.maxKeys ?? defaultMaxKeys;
  const taken = new LRUCache<string, number[]>({ maxSize, sizeCalculation: () => 1 });

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

/**
 * RateLimit headers (draft-ietf-httpapi-ratelimit-headers-06), and Retry-After (RFC 9110) if
 * refused.
 */
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
