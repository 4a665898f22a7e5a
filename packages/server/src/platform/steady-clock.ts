import type { Clock } from "../kit/clock.ts";

export interface SteadyClock {
  /** The time, ms; never before any time it has given or been told. */
  now(): number;
  /** Tells it of a time that somebody else has seen, ms. */
  observe(time: number): void;
}

/**
 * The wall clock as expiry needs it: it never goes back, and it goes on at the pace of the monotonic
 * clock while a wall clock that was set back catches up. So what has expired stays so, and nothing
 * lives longer than it should.
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
