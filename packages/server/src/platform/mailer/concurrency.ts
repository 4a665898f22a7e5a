/** Runs pieces of work, several at once. */
export interface ConcurrentRunner {
  /** Reports that there may be something to do. */
  wake(): void;
  /** Starts nothing more. */
  stop(): void;
  /** Resolves when nothing is running any more. */
  ended(): Promise<void>;
}

export interface ConcurrentRunnerOptions<T> {
  maxConcurrent: number;
  /** The next piece; null if there is none. */
  next: () => Promise<T | null>;
  run: (piece: T) => Promise<unknown>;
  /** Called with errors of `next` and `work`. */
  onError: (error: unknown) => void;
}

/** Each slot that finds a piece starts the next slot, so that a slow piece delays no other. */
export function makeConcurrentRunner<T>(options: ConcurrentRunnerOptions<T>): ConcurrentRunner {
  const { maxConcurrent: limit, next, run, onError } = options;
  const open = new Set<Promise<void>>();
  let calls = 0;
  let stopped = false;

  async function runSlot(): Promise<void> {
    for (;;) {
      if (stopped) return;
      const seen = calls;
      const piece = await next();
      if (piece !== null) {
        openSlot();
        await run(piece);
      } else if (seen === calls) return;
    }
  }

  function openSlot(): void {
    if (stopped || open.size >= limit) return;
    const slot = runSlot()
      .catch(onError)
      .finally(() => open.delete(slot));
    open.add(slot);
  }

  return {
    wake() {
      // A slot that has just found nothing checks once more.
      calls += 1;
      openSlot();
    },
    stop() {
      stopped = true;
    },
    async ended() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}
