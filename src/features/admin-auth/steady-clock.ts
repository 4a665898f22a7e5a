import type { Clock } from "../../kit/clock.ts";

/**
 * The wall clock as expiry needs it, in ms: it never goes back, and it goes on at the pace of the
 * monotonic clock while a wall clock that was set back catches up. So what has expired stays so.
 */
export function steadyTime(clock: Clock): () => number {
  let latest = clock.now();
  let measuredAt = clock.monotonic();
  return () => {
    const monotonic = clock.monotonic();
    latest = Math.max(clock.now(), latest + Math.max(0, monotonic - measuredAt));
    measuredAt = monotonic;
    return Math.floor(latest);
  };
}
