/** Time as an argument: wall clock for records, monotonic clock for durations and windows, both in ms. */
export interface Clock {
  now(): number;
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
