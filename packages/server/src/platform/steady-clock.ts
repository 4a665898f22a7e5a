import type { Clock } from "../kit/clock.ts";

export interface SteadyClock {
  /** The time, ms; never before any time returned or observed. */
  now(): number;
  /** Tells it about a time that somebody else has seen, ms. */
  observe(time: number): void;
}

/**
 * The wall clock for expiry: it never goes back, and while a wall clock that was set back catches
 * up, it follows the monotonic clock. So expired things stay expired, and nothing lives too long.
 */
export function makeSteadyClock(clock: Clock): SteadyClock {
  let latest = clock.now();
  let measuredAt = clock.monotonic();

  function advance(minimum: number): number {
    const monotonic = clock.monotonic();
    latest = Math.max(clock.now(), minimum, latest + Math.max(0, monotonic - measuredAt));
    measuredAt = monotonic;
    return Math.floor(latest);
  }

  return {
    now: () => advance(0),
    observe: (time) => void advance(time),
  };
}
