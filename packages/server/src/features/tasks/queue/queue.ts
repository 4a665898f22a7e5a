import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { newDrafts } from "../../projects/run-changes/change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import type { RunEvents } from "../../runs/events.ts";
import { saveConfirmation } from "../../release/private/confirmations.ts";
import type { ReviewReason, TaskStatus } from "../schema.ts";
import {
  findTask,
  inTransaction,
  insertEvent,
  insertScope,
  insertTask,
  markApproved,
  type NewTask,
  setProject,
  setReview,
  type TaskRow,
  unmarkApproved,
} from "../store.ts";
import { moveTask, type TaskChange, type TaskMatch } from "../transition-store.ts";
import { cancellableStatuses, invalidState, retryableStatuses } from "../task.ts";
import { scopeOfTask } from "../scope/task-scope.ts";
import { leaveRun } from "./link-run.ts";

export type { NewTask } from "../store.ts";

interface QueueDependencies {
  db: Db;
  events: RunEvents;
  clock: Clock;
}

const notApproved = { approved_at: null, approved_by: null } as const;
/** What is reset when a person requeues a task. */
const fresh = {
  attempts: 0,
  not_before: null,
  waiting: null,
  error: null,
  review: "[]",
  started_at: null,
} as const;

/** Adds a task to the queue. `at` is ISO 8601 UTC. */
export function queueTask(db: Db, task: NewTask, at: string): Promise<TaskRow> {
  return inTransaction(db, async (trx) => {
    const row = await insertTask(trx, task, at);
    await insertScope(trx, row.id, task.scope ?? scopeOfTask(row));
    await insertEvent(trx, row.id, { type: "created", message: row.actor, at });
    return row;
  });
}

async function requireTask(db: Db, id: number): Promise<TaskRow> {
  const row = await findTask(db, id);
  if (row === null) throw new AppError("not_found", "This task doesn't exist.");
  return row;
}

/** Every failed try means that somebody else has moved the task, so this ends soon. */
const maxTries = 50;

/** Takes a task out of the queue from any state; throws `not_found`, `invalid_state`. */
async function removeFromQueue(
  deps: QueueDependencies,
  id: number,
  from: readonly TaskStatus[],
  wanted: { done: string; change: TaskChange },
): Promise<TaskRow> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const task = await requireTask(deps.db, id);
    if (!from.includes(task.status)) throw invalidState(wanted.done, task.status);
    const { change } = wanted;
    const left = await leaveRun(deps, task, { change, working: "cancelled", reason: null });
    if (left === "publishing") throw publishingError(wanted.done, task.status);
    if (left !== "overtaken") return left;
  }
  throw new AppError("conflict", "The task keeps changing. Try again.");
}

function publishingError(done: string, status: TaskStatus): AppError {
  return new AppError("invalid_state", `A task that is being published can't be ${done}.`, {
    details: { status },
  });
}

/**
 * Cancels a task in any state before it is published. Its run ends with it, and its worker loses
 * the claim. Throws `not_found`, and `invalid_state` with the current state as details if it has
 * ended or is being published.
 */
export function cancelTask(deps: QueueDependencies, id: number, by: string): Promise<TaskRow> {
  const change: TaskChange = { status: "cancelled", message: by, set: notApproved };
  return removeFromQueue(deps, id, cancellableStatuses, { done: "cancelled", change });
}

/**
 * Requeues a task as if it were new; a waiting preview is discarded. Throws `not_found`, and
 * `invalid_state` if it is running, being published, or published.
 */
export function retryTask(deps: QueueDependencies, id: number, by: string): Promise<TaskRow> {
  const change: TaskChange = {
    status: "queued",
    event: "retried",
    message: by,
    set: { ...notApproved, ...fresh },
  };
  return removeFromQueue(deps, id, retryableStatuses, { done: "retried", change });
}

/**
 * Approves a task that needs review; a runner publishes it. Throws `not_found`, and `invalid_state`
 * for a task that doesn't wait. Approving again changes nothing.
 */
export async function approveTask(
  { db, clock }: Pick<QueueDependencies, "db" | "clock">,
  id: number,
  by: string,
  confirmPrivate: string | null = null,
): Promise<TaskRow> {
  const at = isoTime(clock.now());
  const approved = await inTransaction(db, async (trx) => {
    const row = await markApproved(trx, id, { by, at });
    if (row) await assertConfirmed(trx, row, { confirmPrivate, now: clock.now() });
    if (row) await insertEvent(trx, id, { type: "approved", message: by, at });
    return row;
  });
  if (approved) return approved;
  const task = await requireTask(db, id);
  if (task.status === "needs_review" && task.approved_at !== null) return task;
  throw invalidState("approved", task.status);
}

/**
 * Call in the transaction that approves a task: stores which private text may go live with it, or
 * throws `private_text` with what has to be confirmed.
 */
async function assertConfirmed(
  trx: Db,
  row: TaskRow,
  { confirmPrivate, now }: { confirmPrivate: string | null; now: number },
): Promise<void> {
  const reasons = JSON.parse(row.review) as ReviewReason[];
  const found = reasons.find(({ kind }) => kind === "private");
  if (found?.fingerprint === undefined) return;
  const { fingerprint, message, items } = found;
  if (confirmPrivate === fingerprint) return saveConfirmation(trx, fingerprint, now);
  throw new AppError("private_text", `${message} Confirm it, or discard the change.`, {
    details: { fingerprint, items },
  });
}

/** Adds review reasons before the existing ones, replacing those of the same kind. */
async function addReasons(trx: Db, id: number, reasons: readonly ReviewReason[]): Promise<void> {
  const task = await requireTask(trx, id);
  const kinds = new Set(reasons.map(({ kind }) => kind));
  const before = (JSON.parse(task.review) as ReviewReason[]).filter(({ kind }) => !kinds.has(kind));
  await setReview(trx, id, JSON.stringify([...reasons, ...before]));
}

/** Stores why an approved task couldn't go live; it needs review again. */
export async function refuseApproval(
  db: Db,
  id: number,
  error: string,
  at: string,
  review: readonly ReviewReason[] = [],
): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (!(await unmarkApproved(trx, id, error, at))) return;
    if (review.length > 0) await addReasons(trx, id, review);
    await insertEvent(trx, id, { type: "refused", message: error, at });
  });
}

/**
 * Stores that a run's change is live, in the transaction that publishes it: its task is published
 * with it, wherever the publish was requested, and references the project it has created. Does
 * nothing for a run without a task.
 */
export async function markPublished(
  trx: Db,
  { runId, commit }: { runId: string; commit: string },
  at: string,
): Promise<void> {
  const match: TaskMatch = { from: ["building", "needs_review"], seen: { run_id: runId } };
  const set = { ...notApproved, commit_sha: commit, error: null };
  const task = await moveTask(trx, match, { status: "published", message: commit, set }, at);
  if (task === null || task.project_status === null) return;
  const [made] = newDrafts(await listChanges(trx, runId));
  const projectId = made?.change.projectId ?? null;
  if (projectId !== null) await setProject(trx, task.id, projectId);
}
