import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { Journal } from "./journal.ts";
import { eventsAfter, insertEvents } from "./event-store.ts";
import { withdrawWaiting } from "./message-store.ts";
import { activeStatuses, mayFollow } from "./run.ts";
import type { RunEvent, RunStatus, StoredRunEvent } from "./schema.ts";
import { type RunPatch, swapStatus } from "./store.ts";

/**
 * The events of runs. Each is stored before anybody hears of it, in the order in which it happened;
 * a listener is only told that there is more, and reads from the database what it lacks. So what is
 * sent has neither gap nor duplicate, whoever listens from where.
 */
export interface RunEvents {
  /** Queues an event; text deltas that follow each other closely become one. */
  emit(runId: string, event: RunEvent): void;
  /** Waits until all that was emitted for the run is stored; throws when it couldn't be. */
  flush(runId: string): Promise<void>;
  /**
   * Moves the run from one of `from`, as far as the states allow it, to `patch.status` and appends
   * `run.status` and `events`, in one transaction after all that was emitted before. What waits for
   * the agent of a run that nobody works on any more is withdrawn with it. `along` joins the
   * transaction: when it throws, nothing has happened. Returns whether it won; a loser changes nothing.
   */
  transition(
    runId: string,
    from: readonly RunStatus[],
    patch: RunPatch & { status: RunStatus },
    events?: readonly RunEvent[],
    along?: (transaction: Db) => Promise<void>,
  ): Promise<boolean>;
  /**
   * Does `work` in a transaction after all that was emitted before, and appends the events that it
   * gives. It may be done again when another process wrote to the run meanwhile.
   */
  record<T>(
    runId: string,
    work: (transaction: Db) => Promise<{ result: T; events: RunEvent[] }>,
  ): Promise<T>;
  /** Stored events after `seq` in order, at most 500. */
  after(runId: string, seq: number): Promise<StoredRunEvent[]>;
  /** Calls `listener` whenever this process has stored something for the run; returns the stop. */
  subscribe(runId: string, listener: () => void): () => void;
  /** Tells listeners about events that a caller stored in a transaction of its own. */
  notify(runId: string): void;
}

export interface RunEventsOptions {
  db: Db;
  clock: Clock;
  /** How long text waits for more text to join it; 60 ms unless told. */
  coalesceMs?: number;
}

/** SQLite's and PostgreSQL's word for a number that another process took first. */
function isTaken(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === "23505" || errcode === 1555 || errcode === 2067;
}

/** Runs `work` in a transaction, again when another process appended to the same run meanwhile. */
async function appending<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isTaken(error) || attempt === 5) throw error;
    }
  }
}

function withdrawnEvent(id: number): RunEvent {
  return { type: "message.withdrawn", data: { id } };
}

interface Listeners {
  subscribe(runId: string, listener: () => void): () => void;
  notify(runId: string): void;
}

function makeListeners(): Listeners {
  const listeners = new Map<string, Set<() => void>>();
  return {
    subscribe(runId, listener) {
      const set = listeners.get(runId) ?? new Set();
      listeners.set(runId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(runId) === set) listeners.delete(runId);
      };
    },
    notify(runId) {
      for (const listener of listeners.get(runId) ?? []) listener();
    },
  };
}

/** One journal for each run that has something on its way; idle ones are forgotten. */
function makeJournals(make: (runId: string) => Journal): (runId: string) => Journal {
  const journals = new Map<string, Journal>();
  return (runId) => {
    for (const [id, journal] of journals) if (journal.idle && id !== runId) journals.delete(id);
    const journal = journals.get(runId) ?? make(runId);
    journals.set(runId, journal);
    return journal;
  };
}

export function makeRunEvents(options: RunEventsOptions): RunEvents {
  const { db, clock, coalesceMs = 60 } = options;
  const { subscribe, notify } = makeListeners();
  const journalOf = makeJournals((runId) => {
    return new Journal(async (events) => {
      await appending(db, (trx) => insertEvents(trx, runId, events, isoTime(clock.now())));
      notify(runId);
    }, coalesceMs);
  });

  const record: RunEvents["record"] = async (runId, work) => {
    const { result, told } = await journalOf(runId).after(() =>
      appending(db, async (trx) => {
        const done = await work(trx);
        await insertEvents(trx, runId, done.events, isoTime(clock.now()));
        return { result: done.result, told: done.events.length > 0 };
      }),
    );
    if (told) notify(runId);
    return result;
  };

  return {
    emit: (runId, event) => journalOf(runId).add(event),
    flush: (runId) => journalOf(runId).flush(),
    record,
    transition(runId, from, patch, events = [], along = async () => {}) {
      const status: RunEvent = { type: "run.status", data: { status: patch.status } };
      const allowed = from.filter((state) => mayFollow(state, patch.status));
      return record(runId, async (trx) => {
        if (!(await swapStatus(trx, runId, allowed, patch))) return { result: false, events: [] };
        await along(trx);
        const withdrawn = activeStatuses.includes(patch.status)
          ? []
          : (await withdrawWaiting(trx, runId)).map(withdrawnEvent);
        return { result: true, events: [status, ...withdrawn, ...events] };
      });
    },
    after: (runId, seq) => eventsAfter(db, runId, seq, 500),
    subscribe,
    notify,
  };
}
