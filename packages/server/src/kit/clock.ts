/**
 * Time as an argument: wall clock for records, monotonic clock for durations and windows, both in
 * ms.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/**
 * Returns a function that is true at most once per `interval` ms; the first time after one
 * interval.
 */
export function makeTimer(clock: Clock, interval: number): () => boolean {
  let last = clock.monotonic();
  return () => {
    if (clock.monotonic() - last < interval) return false;
    last = clock.monotonic();
    return true;
  };
}
