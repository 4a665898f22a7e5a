import { setTimeout as sleep } from "node:timers/promises";

/** Lets so many at once through to one host, and none while it asks to be left alone. */
export interface HostThrottle {
  /**
   * Resolves to null when it is one's turn: `leave` has to be called then; else to how long the
   * host wants to be left alone, in ms, which is longer than anybody waits here.
   */
  enter(): Promise<number | null>;
  leave(): void;
  /** Nobody is let through for so long, in ms from now. */
  pause(ms: number): void;
}

/** `patienceMs` tells how long one waits at most; it may shrink with the time that is left. */
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
 * the drafts of the IETF (`RateLimit: limit=10, remaining=0, reset=5`, `"default";r=0;t=5`) and the
 * older `X-RateLimit-*`. 0 while there is some left.
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
    // Some tell the seconds that are left, some the second of the epoch.
    return reset > 1e9 ? Math.max(0, reset * 1000 - now) : reset * 1000;
  }
  return 0;
}
