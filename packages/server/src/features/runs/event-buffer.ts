import type { RunEvent } from "./schema.ts";

/** Longer texts start a new event, so that events are limited in size. */
const maxTextCharacters = 4000;

/** The events of one run on their way to the database, stored one after another in order. */
export class EventBuffer {
  readonly #store: (events: RunEvent[]) => Promise<void>;
  readonly #coalesceMs: number;
  readonly #pending: RunEvent[] = [];
  #tail: Promise<void> = Promise.resolve();
  #queued = 0;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;

  constructor(store: (events: RunEvent[]) => Promise<void>, coalesceMs: number) {
    this.#store = store;
    this.#coalesceMs = coalesceMs;
  }

  /** Whether nothing is waiting or being written, and no error is unreported. */
  get idle(): boolean {
    return this.#queued === 0 && this.#pending.length === 0 && this.#failure === undefined;
  }

  /** Queues an event. Text waits a moment for more text; anything else is written immediately. */
  add(event: RunEvent): void {
    const last = this.#pending.at(-1);
    if (event.type !== "model.text") {
      this.#pending.push(structuredClone(event));
      this.#storeUnheard();
    } else if (last?.type === "model.text" && last.data.text.length < maxTextCharacters) {
      last.data.text += event.data.text;
    } else {
      this.#pending.push(structuredClone(event));
      this.#timer ??= setTimeout(() => this.#storeUnheard(), this.#coalesceMs);
    }
  }

  /** Waits until everything added is stored; throws if some of it couldn't be. */
  async flush(): Promise<void> {
    await this.#storePending();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  /** Runs `work` after everything added before is stored and before anything added later. */
  after<T>(work: () => Promise<T>): Promise<T> {
    const stored = this.#storePending();
    // Both are queued in the same turn, so the buffer isn't idle in between.
    const result = this.#chain(() => stored.then(work));
    stored.catch(() => {});
    return result;
  }

  #storeUnheard(): void {
    this.#storePending().catch((error: unknown) => {
      this.#failure ??= error;
    });
  }

  #storePending(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#chain(async () => {
      const batch = this.#pending.splice(0);
      if (batch.length > 0) await this.#store(batch);
    });
  }

  async #chain<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    this.#queued += 1;
    try {
      await before;
      return await work();
    } finally {
      this.#queued -= 1;
      resolve();
    }
  }
}
