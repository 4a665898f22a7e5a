import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { RunEvents } from "../../runs/events.ts";
import { activeStatuses, isFinal } from "../../runs/run-status.ts";
import type { RunStatus } from "../../runs/schema.ts";
import { findStatus } from "../../runs/store.ts";
import {
  inTransaction,
  moveTask,
  type TaskChange,
  type TaskMatch,
  type TaskRow,
} from "../store.ts";

export interface LeaveRunDependencies {
  db: Db;
  events: RunEvents;
  clock: Clock;
}

/** How a task is taken from whoever works on it, and how its run ends with that. */
export interface LeaveRunOptions {
  change: TaskChange;
  /** Columns that must be as they were seen. */
  seen?: TaskMatch["seen"];
  /** What becomes of a run that is being worked on; one that is ready is discarded. */
  working: "cancelled" | "interrupted";
  /** Why the run ends, for people; null where the state says it all. */
  reason: string | null;
}

/**
 * `concurrentChangeError`: the task or its run is no longer as it was read, look again. `publishing`: what is
 * going live, or has, can't be taken back; whoever publishes settles the task.
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

/** The states in which a task has a run that isn't over. */
const linkWithRun = ["building", "needs_review"] as const;

async function runOf(db: Db, task: TaskRow): Promise<{ id: string; status: RunStatus } | null> {
  const { run_id: id, status } = task;
  if (id === null || !linkWithRun.some((name) => name === status)) return null;
  const found = await findStatus(db, id);
  return found === null ? null : { id, status: found };
}

/**
 * Moves a task as it was read, and ends its run in the same transaction: the run's row is locked
 * first, then the task's, as everywhere.
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
