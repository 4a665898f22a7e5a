/** No step of the clock counts for more, in ms. */
const maxStepMs = 100;

/**
 * Measures how long something takes in time in which this process runs, in ms: while the machine is
 * held up, or does something else, it stands still. Work that waits for too much is told so from a
 * machine that is slow. Reads as `elapsed()`; `using` stops it.
 */
export function startRunningClock(): Disposable & { elapsed(): number } {
  let ran = 0;
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    ran += Math.min(now - last, maxStepMs);
    last = now;
  };
  const timer = setInterval(step, maxStepMs / 5);
  return {
    elapsed() {
      step();
      return ran;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
