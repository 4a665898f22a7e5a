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
 * The events of runs. Each is stored in order before anybody is notified. Listeners only learn that
 * there is more and read from the database what they lack, so streams have no gaps or duplicates,
 * wherever they start.
 */
export interface RunEvents {
  /** Queues an event; text deltas in quick succession are merged. */
  emit(runId: string, event: RunEvent): void;
  /** Waits until everything emitted for the run is stored; throws if that failed. */
  flush(runId: string): Promise<void>;
  /**
   * Moves the run from one of `from` to `patch.status`, if the transition is allowed, and appends
   * `run.status` and `events`, in one transaction after everything emitted before. Messages waiting
   * for a run that has no worker any more are withdrawn. `inTransaction` runs in the same
   * transaction: if it throws, nothing happens. Returns whether it won; a loser changes nothing.
   */
  transition(
    runId: string,
    from: readonly RunStatus[],
    patch: RunPatch & { status: RunStatus },
    events?: readonly RunEvent[],
    inTransaction?: (transaction: Db) => Promise<void>,
  ): Promise<boolean>;
  /**
   * Runs `work` in a transaction after everything emitted before and appends the events that it
   * returns. It runs again if another process has written to the run.
   */
  record<T>(
    runId: string,
    work: (transaction: Db) => Promise<{ result: T; events: RunEvent[] }>,
  ): Promise<T>;
  /** Stored events after `seq` in order, at most 500. */
  listAfter(runId: string, seq: number): Promise<StoredRunEvent[]>;
  /**
   * Calls `listener` whenever this process has stored something for the run; returns a function
   * that unsubscribes.
   */
  subscribe(runId: string, listener: () => void): () => void;
  /** Notifies listeners about events that a caller stored in its own transaction. */
  notify(runId: string): void;
  /** Notifies the listeners of this process about events that another node has stored. */
  hear(runId: string): void;
}

export interface RunEventsDependencies {
  db: Db;
  clock: Clock;
  /** How long text waits to be merged with more text; defaults to 60 ms. */
  coalesceMs?: number;
  /** Tells other nodes that there are more events of a run; by default there are none. */
  tellOthers?: ((runId: string) => void) | undefined;
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

/** One buffer for each run with unstored events; idle ones are removed. */
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
  const { subscribe, notify: hear } = makeListeners();
  const notify = (runId: string) => {
    hear(runId);
    deps.tellOthers?.(runId);
  };
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
    hear,
  };
}
