/** Work that is done from time to time. */
export interface Repetition {
  start(): void;
  /** Ends it and waits for what is under way. */
  close(): Promise<void>;
}

export interface RepeatOptions {
  /** The pause between two times, in ms. */
  everyMs: number;
  /** Whether the first time comes with `start`. */
  atOnce?: boolean;
  /** Gets what the work throws; it is done again all the same. */
  failed(error: unknown): void;
}

/** Does `work` again and again, never twice at once. */
export function repeat(work: () => Promise<unknown>, options: RepeatOptions): Repetition {
  const { everyMs, atOnce = false, failed } = options;
  let working: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  function schedule(): void {
    if (!closed) timer = setTimeout(begin, everyMs);
  }
  function begin(): void {
    working = work().catch(failed).then(schedule);
  }
  return {
    start: atOnce ? begin : schedule,
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
}
