import { isoTime } from "../../kit/time.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { RunEvent, RunStatus, StoredRunEvent } from "./schema.ts";
import { eventsAfter, insertEvents, type RunPatch, swapStatus } from "./store.ts";

/**
 * The events of runs. Each is stored before anybody hears of it, in the order in which it happened;
 * a listener is only told that there is more, and reads from the database what it lacks. So what is
 * sent can have neither gap nor duplicate, whoever listens from where.
 */
export interface RunEvents {
  /** Queues an event; text deltas that follow each other closely become one. */
  emit(runId: string, event: RunEvent): void;
  /** Waits until all that was emitted for the run is stored; throws when it can't be. */
  flush(runId: string): Promise<void>;
  /**
   * Moves the run from one of `from` to `patch.status` and appends `events`, in one transaction
   * after all that was emitted before. Returns whether it won; the loser changes nothing.
   */
  transition(
    runId: string,
    from: readonly RunStatus[],
    patch: RunPatch & { status: RunStatus },
    events?: readonly RunEvent[],
  ): Promise<boolean>;
  /** Stored events after `seq` in order, at most 500. */
  after(runId: string, seq: number): Promise<StoredRunEvent[]>;
  /** Calls `listener` whenever this process has stored something for the run; returns the stop. */
  subscribe(runId: string, listener: () => void): () => void;
  /** Tells listeners about events that a caller stored in a transaction of its own. */
  notify(runId: string): void;
}

interface Journal {
  pending: RunEvent[];
  tail: Promise<void>;
  failure: unknown;
  timer: NodeJS.Timeout | undefined;
}

export interface RunEventsOptions {
  db: Db;
  clock: Clock;
  /** How long text may wait for more text to join it; 60 ms unless told. */
  coalesceMs?: number;
}

const longestText = 4000;

export function makeRunEvents(options: RunEventsOptions): RunEvents {
  const { db, clock, coalesceMs = 60 } = options;
  const journals = new Map<string, Journal>();
  const listeners = new Map<string, Set<() => void>>();

  const notify = (runId: string) => {
    for (const listener of listeners.get(runId) ?? []) listener();
  };

  const journalOf = (runId: string): Journal => {
    const known = journals.get(runId);
    if (known) return known;
    const journal: Journal = {
      pending: [],
      tail: Promise.resolve(),
      failure: undefined,
      timer: undefined,
    };
    journals.set(runId, journal);
    return journal;
  };

  /** Queues work behind all earlier work of the run. */
  const chain = <T>(runId: string, journal: Journal, work: () => Promise<T>): Promise<T> => {
    const result = journal.tail.then(work);
    const settled = result.then(
      () => {},
      (error: unknown) => {
        journal.failure ??= error;
      },
    );
    journal.tail = settled;
    void settled.then(() => {
      const idle = journal.tail === settled && journal.pending.length === 0;
      if (idle && journal.failure === undefined) journals.delete(runId);
    });
    return result;
  };

  const storePending = (runId: string, journal: Journal): Promise<void> => {
    clearTimeout(journal.timer);
    journal.timer = undefined;
    return chain(runId, journal, async () => {
      const batch = journal.pending.splice(0);
      if (batch.length === 0) return;
      await db
        .transaction()
        .execute((trx) => insertEvents(trx, runId, batch, isoTime(clock.now())));
      notify(runId);
    });
  };

  return {
    emit(runId, event) {
      const journal = journalOf(runId);
      const last = journal.pending.at(-1);
      if (
        event.type === "model.text" &&
        last?.type === "model.text" &&
        last.data.text.length < longestText
      ) {
        last.data.text += event.data.text;
        return;
      }
      journal.pending.push(structuredClone(event));
      if (event.type !== "model.text") void storePending(runId, journal).catch(() => {});
      else
        journal.timer ??= setTimeout(
          () => void storePending(runId, journal).catch(() => {}),
          coalesceMs,
        );
    },

    async flush(runId) {
      const journal = journals.get(runId);
      if (!journal) return;
      await storePending(runId, journal);
      if (journal.failure !== undefined) throw journal.failure;
    },

    async transition(runId, from, patch, events = []) {
      const journal = journalOf(runId);
      await storePending(runId, journal);
      return chain(runId, journal, async () => {
        const at = isoTime(clock.now());
        const won = await db.transaction().execute(async (trx) => {
          if (!(await swapStatus(trx, runId, from, patch))) return false;
          await insertEvents(
            trx,
            runId,
            [{ type: "run.status", data: { status: patch.status } }, ...events],
            at,
          );
          return true;
        });
        if (won) notify(runId);
        return won;
      });
    },

    after: (runId, seq) => eventsAfter(db, runId, seq, 500),

    subscribe(runId, listener) {
      const set = listeners.get(runId) ?? new Set();
      listeners.set(runId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(runId) === set) listeners.delete(runId);
      };
    },

    notify,
  };
}
