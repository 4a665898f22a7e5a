/** Time as an argument: wall clock for records, monotonic clock for durations and windows, both in ms. */
export interface Clock {
  now(): number;
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Says at most once in `interval` ms that it is time; for the first time after one interval. */
export function makeTimer(clock: Clock, interval: number): () => boolean {
  let last = clock.monotonic();
  return () => {
    if (clock.monotonic() - last < interval) return false;
    last = clock.monotonic();
    return true;
  };
}
