import { AppError } from "../kit/errors.ts";
import { makeSemaphore } from "../kit/concurrency.ts";
import type { Log } from "../platform/log.ts";

/** How many sites may wait for their turn: more have to ask again. */
const maxWaiting = 256;
/** How many of them have their turn at once. */
const maxTurns = 8;

/** What somebody is told who asks for a site that can't be had yet. */
export function notReady(): AppError {
  const headers = { "retry-after": "5" };
  return new AppError("unavailable", "This site is being prepared. Try again in a moment.", {
    headers,
  });
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

/** Logs why a site can't be had, once rather than every time; who asks for it isn't told. */
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

/** Work for sites that is done again for one that is wanted meanwhile, for a few sites at once. */
export function makeCoalescedWork(work: (id: string) => Promise<void>, maxConcurrent: number) {
  const slots = makeSemaphore(maxConcurrent);
  const wanted = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  async function workUntilDone(id: string): Promise<void> {
    // Whoever fails has said so.
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
