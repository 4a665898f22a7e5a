/** Maps a list with at most `limit` calls under way; results in the list's order, the first error wins. */
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
  /** Runs a task once it is let in. `signal` gives up the place in line: its reason is thrown. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Lets at most `limit` tasks run at once; the others wait in the order in which they came. */
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
    // The place passes straight to the next in line.
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

/** The same with a line that holds at most `waiting`; whoever comes beyond that gets what `full` makes. */
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
