import { setImmediate as nextTurn } from "node:timers/promises";

/** How long such work may go on before others have their turn, in ms. */
const maxBlockingMs = 4;

/**
 * For work on very many small files: asking the system for each and waiting takes several times as
 * long as doing it at once, and doing all at once would keep everybody else waiting. To be awaited
 * between two files: gives others their turn when the last one is 4 ms ago.
 */
export function makeYieldToEventLoop(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < maxBlockingMs) return;
    await nextTurn();
    since = performance.now();
  };
}
