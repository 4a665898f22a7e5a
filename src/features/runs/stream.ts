import { type Clock, makeTimer } from "../../kit/clock.ts";
import { eventText } from "../../kit/event-stream.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { RunEvents } from "./events.ts";
import { isFinal } from "./run.ts";
import type { StoredRunEvent } from "./schema.ts";
import { findStatus } from "./store.ts";

export interface StreamOptions {
  db: Db;
  clock: Clock;
  events: RunEvents;
  runId: string;
  /** The last event that the reader has; 0 for none. */
  after: number;
  /** Whether the reader is still signed in. */
  isAlive: () => Promise<boolean>;
  /** Aborted when the reader is gone. */
  signal: AbortSignal;
  /** How often to look at the clock and for events that another process stored, ms; 1,000 unless told. */
  tickMs?: number;
}

/** How often a comment keeps the connection open, ms. */
const pingEvery = 15_000;
/** How often the reader's session is looked at, ms: a logout closes the stream within 5 s. */
const sessionEvery = 2000;

/** A run's event as it is sent. */
function formatEvent({ seq, type, data }: StoredRunEvent): string {
  return eventText(type, data, seq);
}

/** Something to wait for: a ring that comes while nobody waits is not lost. */
function makeBell() {
  let ring = Promise.withResolvers<void>();
  return {
    ring: () => ring.resolve(),
    async wait() {
      await ring.promise;
      ring = Promise.withResolvers<void>();
    },
  };
}

/** All stored events after `seq`, in chunks. */
async function* chunksAfter(options: StreamOptions, seq: number) {
  for (let last = seq; ;) {
    const batch = await options.events.after(options.runId, last);
    if (batch.length === 0) return;
    last = batch.at(-1)?.seq ?? last;
    yield { text: batch.map(formatEvent).join(""), last };
  }
}

/**
 * The text of a run's event stream: what the reader lacks, then what happens, until the run is in a
 * final state, the reader's session has ended or the reader is gone. A reader that takes nothing
 * makes it wait, not buffer.
 */
export async function* eventStream(options: StreamOptions): AsyncGenerator<string, void> {
  const { db, clock, events, runId, signal } = options;
  const bell = makeBell();
  const pingDue = makeTimer(clock, pingEvery);
  const sessionDue = makeTimer(clock, sessionEvery);
  const stop = events.subscribe(runId, bell.ring);
  const tick = setInterval(bell.ring, options.tickMs ?? 1000);
  signal.addEventListener("abort", bell.ring);
  try {
    let seq = options.after;
    yield "retry: 1000\n\n";
    while (!signal.aborted) {
      if (sessionDue() && !(await options.isAlive())) return;
      // Read before the events: a final state is stored together with its last event.
      const status = await findStatus(db, runId);
      for await (const { text, last } of chunksAfter(options, seq)) {
        seq = last;
        yield text;
      }
      if (status === null || isFinal(status)) return;
      if (pingDue()) yield ": ping\n\n";
      await bell.wait();
    }
  } finally {
    clearInterval(tick);
    stop();
    signal.removeEventListener("abort", bell.ring);
  }
}
