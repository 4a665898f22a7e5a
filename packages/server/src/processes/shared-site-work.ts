import { AppError } from "../kit/errors.ts";
import { makeSemaphore } from "../kit/concurrency.ts";
import type { Log } from "../platform/log.ts";

/** How many sites may wait for their turn: more have to ask again. */
const maxWaiting = 256;
/** How many of them have their turn at once. */
const maxTurns = 8;

/** The error for requests for a site that this node doesn't have yet; visitors get the default message. */
export function notReady(
  message = "This site is being prepared. Try again in a moment.",
): AppError {
  return new AppError("unavailable", message, { headers: { "retry-after": "5" } });
}

/** Work for sites, at most one at a time for each and a few for all. */
export function makeSiteWork(work: (id: string) => Promise<void>) {
  const running = new Map<string, Promise<void>>();
  const slots = makeSemaphore(maxTurns);
  return (id: string): Promise<void> => {
    const known = running.get(id);
    if (known !== undefined) return known;
    if (running.size >= maxWaiting) return Promise.reject(notReady());
    const started = slots.run(() => work(id)).finally(() => running.delete(id));
    running.set(id, started);
    return started;
  };
}

/** Logs why a site isn't ready, once rather than every time; visitors only learn that it isn't. */
export function makeFailureLog(log: Log, message = "a site can't follow the other nodes yet") {
  const last = new Map<string, string>();
  return {
    add(id: string, error: unknown): AppError {
      if (last.get(id) !== String(error)) log.error({ err: error, site: id }, message);
      last.set(id, String(error));
      return notReady();
    },
    clear: (id: string) => void last.delete(id),
  };
}

/** Work for a few sites at once, repeated for a site that is wanted again while it is being done. */
export function makeCoalescedWork(work: (id: string) => Promise<void>, maxConcurrent: number) {
  const slots = makeSemaphore(maxConcurrent);
  const wanted = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  async function workUntilDone(id: string): Promise<void> {
    // The work reports its own failures.
    while (wanted.delete(id)) await slots.run(() => work(id)).catch(() => {});
    running.delete(id);
  }

  return {
    want(id: string): void {
      if (isClosed) return;
      wanted.add(id);
      if (!running.has(id)) running.set(id, workUntilDone(id));
    },
    async close(): Promise<void> {
      isClosed = true;
      wanted.clear();
      await Promise.all(running.values());
    },
  };
}
