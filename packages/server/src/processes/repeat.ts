/** Work that is done from time to time. */
export interface RepeatingTask {
  start(): void;
  /** Ends it and waits for what is under way. */
  close(): Promise<void>;
}

export interface RepeatOptions {
  /** The pause between two times, in ms. */
  everyMs: number;
  /** Whether the first time comes with `start`. */
  runImmediately?: boolean;
  /** Gets what the work throws; it is done again all the same. */
  onError(error: unknown): void;
}

/** Does `work` again and again, never twice at once. */
export function repeat(work: () => Promise<unknown>, options: RepeatOptions): RepeatingTask {
  const { everyMs, runImmediately = false, onError } = options;
  let working: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  function schedule(): void {
    if (!closed) timer = setTimeout(start, everyMs);
  }
  function start(): void {
    working = work().catch(onError).then(schedule);
  }
  return {
    start: runImmediately ? start : schedule,
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
}
