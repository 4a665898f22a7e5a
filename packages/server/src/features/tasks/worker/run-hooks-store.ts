import type { Db } from "../../../platform/db/connect.ts";
import type { ClosedRun } from "../../runs/run-dependencies.ts";
import { insertRunTask, findRunTask } from "../../runs/task-store.ts";
import type { ReviewReason } from "../schema.ts";
import { type TaskRow, tables } from "../store.ts";
import { moveTask, type TaskMatch } from "../transition-store.ts";

/** Added to the reasons of an earlier preview: the new one hasn't been compared. */
const notComparedAgain: ReviewReason = {
  kind: "unchecked",
  message:
    "You continued it in the console, so this preview wasn't compared with the live site. The other reasons are about the previous preview.",
  items: [],
};

const notApproved = { approved_at: null, approved_by: null } as const;

function ofRun(runId: string): TaskMatch {
  return { from: ["building", "needs_review"], seen: { run_id: runId } };
}

/**
 * Ends the task of a run that a person has ended, in the same transaction. Does nothing for a run
 * without a task. `at` is ISO 8601 UTC.
 */
export async function endTaskOfRun(
  trx: Db,
  { runId, status, isTakenBack = false, at }: Omit<ClosedRun, "successor"> & { at: string },
): Promise<void> {
  const discarded = isTakenBack
    ? "A follow-up in the console has undone its changes."
    : "Its preview was discarded in the console.";
  const message = status === "discarded" ? discarded : "Its run was stopped in the console.";
  await moveTask(trx, ofRun(runId), { status: "cancelled", message, set: notApproved }, at);
}

/** A task's review reasons, as far as they apply to its new preview. */
function reviewOfSuccessor(before: string): string {
  const reasons = JSON.parse(before) as ReviewReason[];
  const others = reasons.filter(({ message }) => message !== notComparedAgain.message);
  return JSON.stringify([notComparedAgain, ...others]);
}

async function rename(
  trx: Db,
  runId: string,
  successor: string,
  at: string,
): Promise<TaskRow | null> {
  const row = await tables(trx)
    .updateTable("task")
    .set({ ...notApproved, run_id: successor, error: null, updated_at: at })
    .where("run_id", "=", runId)
    .where("status", "in", ["building", "needs_review"])
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Assigns a run's task to its successor, in the same transaction: it needs review with the new
 * preview, because another one was approved and compared. `at` is ISO 8601 UTC.
 */
export async function followSuccessor(
  trx: Db,
  { runId, successor, at }: { runId: string; successor: string; at: string },
): Promise<void> {
  const task = await rename(trx, runId, successor, at);
  if (task === null) return;
  const review = reviewOfSuccessor(task.review);
  await tables(trx).updateTable("task").set({ review }).where("id", "=", task.id).execute();
  const before = await findRunTask(trx, runId);
  await insertRunTask(trx, successor, { id: task.id, attempt: before?.attempt ?? task.attempts });
  if (task.status !== "building") return;
  // Whoever holds it finds its claim gone and stops.
  const message = "It was continued in the console.";
  const match: TaskMatch = { from: ["building"], seen: { run_id: successor } };
  await moveTask(trx, match, { status: "needs_review", message }, at);
}

/**
 * Whether the task is still approved as it was read; it then stays so until the transaction ends.
 */
export async function lockApproved(trx: Db, task: TaskRow): Promise<boolean> {
  const result = await tables(trx)
    .updateTable("task")
    .set((eb) => ({ approved_at: eb.ref("approved_at") }))
    .where("id", "=", task.id)
    .where("status", "=", "needs_review")
    .where("run_id", "=", task.run_id)
    .where("approved_at", "=", task.approved_at)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}
