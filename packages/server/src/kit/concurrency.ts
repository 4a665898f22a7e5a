/**
 * Maps a list with at most `limit` calls running; results are in the list's order, and the first
 * error is thrown.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

export interface Semaphore {
  /** Runs a task when a slot is free. Aborting `signal` ends the wait and throws its reason. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Runs at most `limit` tasks at once; others wait in order. */
export function makeSemaphore(limit: number): Semaphore {
  let free = limit;
  const waiting: (() => void)[] = [];

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      const place = waiting.indexOf(resolve);
      if (place < 0) return;
      waiting.splice(place, 1);
      reject(signal?.reason);
    };
    waiting.push(resolve);
    signal?.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  function leave(): void {
    // The slot passes directly to the next one waiting.
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async run(task, signal) {
      await enter(signal);
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}

/**
 * The same with at most `waiting` tasks in the queue; beyond that, the error from `full` is thrown.
 */
export function makeBoundedSemaphore(options: {
  limit: number;
  waiting: number;
  full(): Error;
}): Pick<Semaphore, "run"> {
  const { limit, waiting, full } = options;
  const semaphore = makeSemaphore(limit);
  let present = 0;
  return {
    async run(task, signal) {
      if (present >= limit + waiting) throw full();
      present += 1;
      try {
        return await semaphore.run(task, signal);
      } finally {
        present -= 1;
      }
    },
  };
}
