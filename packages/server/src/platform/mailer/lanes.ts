/** Work that is taken up piece by piece, several pieces at once. */
export interface Lanes {
  /** Says that there may be something to do. */
  wake(): void;
  /** Takes up nothing more. */
  stop(): void;
  /** When nothing is under way any more. */
  ended(): Promise<void>;
}

export interface LanesOptions<T> {
  most: number;
  /** The next piece; null when there is none now. */
  next: () => Promise<T | null>;
  work: (piece: T) => Promise<unknown>;
  /** Gets what `next` and `work` throw. */
  failed: (error: unknown) => void;
}

/** Each lane that finds a piece opens the next lane: a piece that takes long holds up no other. */
export function makeLanes<T>(options: LanesOptions<T>): Lanes {
  const { most, next, work, failed } = options;
  const open = new Set<Promise<void>>();
  let calls = 0;
  let stopped = false;

  async function runLane(): Promise<void> {
    for (;;) {
      if (stopped) return;
      const seen = calls;
      const piece = await next();
      if (piece !== null) {
        openLane();
        await work(piece);
      } else if (seen === calls) return;
    }
  }

  function openLane(): void {
    if (stopped || open.size >= most) return;
    const lane = runLane()
      .catch(failed)
      .finally(() => open.delete(lane));
    open.add(lane);
  }

  return {
    wake() {
      // A lane that has just found nothing looks once more.
      calls += 1;
      openLane();
    },
    stop() {
      stopped = true;
    },
    async ended() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}
