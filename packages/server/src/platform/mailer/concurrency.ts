/** Work that is taken up piece by piece, several pieces at once. */
export interface ConcurrentRunner {
  /** Says that there may be something to do. */
  wake(): void;
  /** Takes up nothing more. */
  stop(): void;
  /** When nothing is under way any more. */
  ended(): Promise<void>;
}

export interface ConcurrentRunnerOptions<T> {
  maxConcurrent: number;
  /** The next piece; null when there is none now. */
  next: () => Promise<T | null>;
  run: (piece: T) => Promise<unknown>;
  /** Gets what `next` and `work` throw. */
  onError: (error: unknown) => void;
}

/** Each lane that finds a piece opens the next lane: a piece that takes long holds up no other. */
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
      // A lane that has just found nothing looks once more.
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
