import { randomToken } from "../../../kit/hash.ts";
import { cleanText } from "../../../kit/text.ts";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import {
  startClaimed,
  claimTask,
  type ClaimKey,
  extendLease,
  findClaimed,
  hashOf,
  lockClaimed,
  maxWaitMs,
} from "./claim-store.ts";
import type { ReviewReason, TaskStatus } from "../schema.ts";
import { type TaskRow } from "../store.ts";
import { hasMoved, moveTask, type TaskChange, type TaskMatch } from "../transition-store.ts";
import { activeStatuses } from "../task.ts";

export type { ClaimKey } from "./claim-store.ts";

/** A claimed task; this is the only place that contains its token. */
export interface Claim extends ClaimKey {
  task: TaskRow;
  /** When the claim expires unless it is renewed, by the database's clock. */
  leaseExpiresAt: string;
}

/** How to requeue a task. */
export interface RequeueOptions {
  /** Why, as a text for people. */
  reason: string;
  /** How long it waits until it is due again, in ms; at most an hour. */
  waitMs: number;
  /** Whether it counts as an attempt; a mere wait doesn't. */
  counts: boolean;
}

export interface AttemptLimit {
  /** Now, ISO 8601 UTC. */
  at: string;
  maxAttempts: number;
  /** The task's state if that was its last attempt. */
  exhausted: "failed" | "reverted";
}

/** How the work on a task ends. */
export type TaskEnd =
  | { status: "reverted" | "failed"; error: string }
  | { status: "needs_review"; review: ReviewReason[] }
  | { status: "published"; commit: string };

function claimMatch(key: ClaimKey): TaskMatch {
  return { id: key.taskId, from: activeStatuses, seen: { claim_hash: hashOf(key.token) } };
}

/**
 * Claims the next due task: highest priority first, then oldest. `leaseMs` is how long the worker
 * may be silent. Returns null if nothing is due.
 */
export async function claimNext(
  db: Db,
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Claim | null> {
  const token = randomToken();
  const claim = { worker: cleanText(worker), hash: hashOf(token), leaseMs };
  const task = await claimTask(db, claim);
  if (task === null) return null;
  return { taskId: task.id, token, task, leaseExpiresAt: task.lease_expires_at ?? "" };
}

/** Restarts the lease; returns its end, null if the claim is lost. */
export async function renewClaim(db: Db, key: ClaimKey): Promise<string | null> {
  const task = await findClaimed(db, key);
  return task === null ? null : extendLease(db, key, task.lease_ms ?? 0);
}

/** Stores that the run of a claimed task has started; false if the claim is lost. */
export function startWork(trx: Db, key: ClaimKey, runId: string): Promise<boolean> {
  return startClaimed(trx, key, runId);
}

/** Whether the claim is valid; it then stays so until the transaction ends. */
export function lockClaim(trx: Db, key: ClaimKey): Promise<boolean> {
  return lockClaimed(trx, key);
}

/** The change that lets a task wait for another attempt, or ends it after its last. */
export function requeueChange(
  trx: Db,
  attempts: number,
  { reason, waitMs, counts }: RequeueOptions,
  { maxAttempts, exhausted }: Omit<AttemptLimit, "at">,
): TaskChange {
  if (counts && attempts >= maxAttempts) {
    return { status: exhausted, message: reason, set: { error: reason } };
  }
  const wait = Math.min(waitMs, maxWaitMs);
  const waits = wait > 0;
  return {
    status: "queued",
    message: reason,
    quiet: !counts,
    set: {
      attempts: counts ? attempts : Math.max(0, attempts - 1),
      waiting: waits ? reason : null,
      not_before: waits ? databaseTime(trx, wait) : null,
    },
  };
}

/**
 * Requeues a claimed task, or ends it if this counts as an attempt and was the last. Returns its
 * new state, null if the claim is lost.
 */
export async function requeue(
  trx: Db,
  key: ClaimKey,
  options: RequeueOptions,
  exhaustion: AttemptLimit,
): Promise<TaskStatus | null> {
  const task = await findClaimed(trx, key);
  if (task === null) return null;
  const change = requeueChange(trx, task.attempts, options, exhaustion);
  const row = await moveTask(trx, claimMatch(key), change, exhaustion.at);
  return row?.status ?? null;
}

function plain({ message, items, ...rest }: ReviewReason): ReviewReason {
  return { ...rest, message: cleanText(message), items: items.map((item) => cleanText(item)) };
}

function changeTo(ending: TaskEnd): TaskChange {
  const { status } = ending;
  if (status === "needs_review") {
    const review = ending.review.map(plain);
    const message = review.map((reason) => reason.message).join("\n");
    return { status, message, set: { review: JSON.stringify(review) } };
  }
  if (status === "published") {
    return { status, message: ending.commit, set: { commit_sha: ending.commit } };
  }
  return { status, message: ending.error, set: { error: ending.error } };
}

/** Ends the work on a claimed task. Returns false and changes nothing if the claim is lost. */
export async function endClaim(
  trx: Db,
  key: ClaimKey,
  ending: TaskEnd,
  at: string,
): Promise<boolean> {
  return hasMoved(trx, claimMatch(key), changeTo(ending), at);
}
