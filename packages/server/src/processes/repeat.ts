/** Work that is repeated regularly. */
export interface RepeatingTask {
  start(): void;
  /** Stops it and waits for a running repetition. */
  close(): Promise<void>;
}

export interface RepeatOptions {
  /** The pause between two repetitions, in ms. */
  everyMs: number;
  /** Whether `start` runs it immediately. */
  runImmediately?: boolean;
  /** Called with errors; repetitions continue. */
  onError(error: unknown): void;
}

/** Repeats `work`, never twice at once. */
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
