import type { Clock } from "../../packages/server/src/kit/clock.ts";

export interface FakeClock extends Clock {
  /** Moves both clocks forward by `ms`. */
  advance(ms: number): void;
  /** Sets only the wall clock, like an administrator or NTP. */
  setWall(ms: number): void;
}

/** A clock that moves only on request. */
export function fakeClock(start = Date.UTC(2026, 0, 15, 12)): FakeClock {
  let wall = start;
  let monotonic = 0;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    advance(ms) {
      wall += ms;
      monotonic += ms;
    },
    setWall(ms) {
      wall = ms;
    },
  };
}
