import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { RunEvents } from "../../runs/events.ts";
import { activeStatuses, isFinal } from "../../runs/run-status.ts";
import type { RunStatus } from "../../runs/schema.ts";
import { findStatus } from "../../runs/store.ts";
import { inTransaction, type TaskRow } from "../store.ts";
import { moveTask, type TaskChange, type TaskMatch } from "../transition-store.ts";

export interface LeaveRunDependencies {
  db: Db;
  events: RunEvents;
  clock: Clock;
}

/** How to take a task from its worker, and how to end its run. */
export interface LeaveRunOptions {
  change: TaskChange;
  /** Columns that must still have the values read before. */
  seen?: TaskMatch["seen"];
  /** The new state of a run that is being executed; a ready one is discarded. */
  working: "cancelled" | "interrupted";
  /** Why the run ends, as a text; null if the state says it all. */
  reason: string | null;
}

/**
 * `concurrentChangeError`: the task or its run has changed since it was read, so read it again.
 * `publishing`: a publish that has started can't be undone; the publisher ends the task.
 */
export type LeaveRunResult = TaskRow | "overtaken" | "publishing";

class StaleTask extends Error {}

async function orStale(work: () => Promise<LeaveRunResult>): Promise<LeaveRunResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StaleTask) return "overtaken";
    throw error;
  }
}

/** The states in which a task has an unfinished run. */
const linkWithRun = ["building", "needs_review"] as const;

async function runOf(db: Db, task: TaskRow): Promise<{ id: string; status: RunStatus } | null> {
  const { run_id: id, status } = task;
  if (id === null || !linkWithRun.some((name) => name === status)) return null;
  const found = await findStatus(db, id);
  return found === null ? null : { id, status: found };
}

/**
 * Moves a task as it was read and ends its run in the same transaction. As everywhere, the run's
 * row is locked first, then the task's.
 */
export async function leaveRun(
  deps: LeaveRunDependencies,
  task: TaskRow,
  change: LeaveRunOptions,
): Promise<LeaveRunResult> {
  const { db, events, clock } = deps;
  const at = isoTime(clock.now());
  const match: TaskMatch = {
    id: task.id,
    from: [task.status],
    seen: { run_id: task.run_id, claim_hash: task.claim_hash, ...change.seen },
  };
  let moved: TaskRow | null = null;
  const move = async (trx: Db) => {
    moved = await moveTask(trx, match, change.change, at);
    if (moved === null) throw new StaleTask();
    return moved;
  };
  const run = await runOf(db, task);
  if (run === null || (isFinal(run.status) && run.status !== "published")) {
    return orStale(() => inTransaction(db, move));
  }
  if (run.status === "publishing" || run.status === "published") return "publishing";
  const ready = run.status === "preview_ready";
  const status = ready ? "discarded" : change.working;
  const errorColumn = change.reason === null ? {} : { error: change.reason };
  return orStale(async () => {
    const won = await events.transition(
      run.id,
      ready ? ["preview_ready"] : activeStatuses,
      { status, finished_at: at, ...errorColumn },
      [{ type: "run.finished", data: { status, ...errorColumn } }],
      async (trx) => void (await move(trx)),
    );
    return won && moved !== null ? moved : "overtaken";
  });
}
