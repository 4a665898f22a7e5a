import { setImmediate as nextTurn } from "node:timers/promises";

/** How long such work may run before it yields, in ms. */
const maxBlockingMs = 4;

/**
 * For work on very many small files: asynchronous calls take several times as long as synchronous
 * ones, but doing everything synchronously would block the event loop. Await this between files: it
 * yields if the last time was 4 ms ago.
 */
export function makeYieldToEventLoop(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < maxBlockingMs) return;
    await nextTurn();
    since = performance.now();
  };
}
