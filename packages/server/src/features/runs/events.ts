import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { retryTransaction } from "../../platform/db/retry-transaction.ts";
import { EventBuffer } from "./event-buffer.ts";
import { insertEvents, listEventsAfter } from "./event-store.ts";
import { withdrawWaitingMessages } from "./message-store.ts";
import { activeStatuses, canTransition } from "./run-status.ts";
import type { RunEvent, RunStatus, StoredRunEvent } from "./schema.ts";
import { compareAndSetStatus, type RunPatch } from "./store.ts";

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
   * the agent of a run that nobody works on any more is withdrawn with it. `inTransaction` joins the
   * transaction: when it throws, nothing has happened. Returns whether it won; a loser changes nothing.
   */
  transition(
    runId: string,
    from: readonly RunStatus[],
    patch: RunPatch & { status: RunStatus },
    events?: readonly RunEvent[],
    inTransaction?: (transaction: Db) => Promise<void>,
  ): Promise<boolean>;
  /**
   * Does `work` in a transaction after all that was emitted before, and appends the events that it
   * gives. It runs again when another process has written to the run.
   */
  record<T>(
    runId: string,
    work: (transaction: Db) => Promise<{ result: T; events: RunEvent[] }>,
  ): Promise<T>;
  /** Stored events after `seq` in order, at most 500. */
  listAfter(runId: string, seq: number): Promise<StoredRunEvent[]>;
  /** Calls `listener` whenever this process has stored something for the run; returns the stop. */
  subscribe(runId: string, listener: () => void): () => void;
  /** Tells listeners about events that a caller stored in a transaction of its own. */
  notify(runId: string): void;
}

export interface RunEventsDependencies {
  db: Db;
  clock: Clock;
  /** How long text waits for more text to join it; 60 ms by default. */
  coalesceMs?: number;
}

/** Several processes may append to one run at once; the primary key refuses all but the first. */
const maxAttempts = 5;

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

/** One buffer for each run that has something on its way; idle ones are forgotten. */
function makeBuffers(make: (runId: string) => EventBuffer): (runId: string) => EventBuffer {
  const buffers = new Map<string, EventBuffer>();
  return (runId) => {
    for (const [id, buffer] of buffers) if (buffer.idle && id !== runId) buffers.delete(id);
    const buffer = buffers.get(runId) ?? make(runId);
    buffers.set(runId, buffer);
    return buffer;
  };
}

export function makeRunEvents(deps: RunEventsDependencies): RunEvents {
  const { db, clock, coalesceMs = 60 } = deps;
  const { subscribe, notify } = makeListeners();
  const bufferOf = makeBuffers((runId) => {
    return new EventBuffer(async (events) => {
      await retryTransaction(db, (trx) => insertEvents(trx, runId, events, isoTime(clock.now())), {
        maxAttempts,
      });
      notify(runId);
    }, coalesceMs);
  });

  const record: RunEvents["record"] = async (runId, work) => {
    const { result, isChanged } = await bufferOf(runId).after(() =>
      retryTransaction(
        db,
        async (trx) => {
          const done = await work(trx);
          await insertEvents(trx, runId, done.events, isoTime(clock.now()));
          return { result: done.result, isChanged: done.events.length > 0 };
        },
        { maxAttempts },
      ),
    );
    if (isChanged) notify(runId);
    return result;
  };

  return {
    emit: (runId, event) => bufferOf(runId).add(event),
    flush: (runId) => bufferOf(runId).flush(),
    record,
    transition(runId, from, patch, events = [], inTransaction = async () => {}) {
      const status: RunEvent = { type: "run.status", data: { status: patch.status } };
      const allowed = from.filter((state) => canTransition(state, patch.status));
      return record(runId, async (trx) => {
        if (!(await compareAndSetStatus(trx, runId, allowed, patch)))
          return { result: false, events: [] };
        await inTransaction(trx);
        const withdrawn = activeStatuses.includes(patch.status)
          ? []
          : (await withdrawWaitingMessages(trx, runId)).map(withdrawnEvent);
        return { result: true, events: [status, ...withdrawn, ...events] };
      });
    },
    listAfter: (runId, seq) => listEventsAfter(db, runId, seq, 500),
    subscribe,
    notify,
  };
}
