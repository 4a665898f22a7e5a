import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { addEntry } from "../changelog/entry.ts";
import { requestRebuild } from "../release/rebuild-requests.ts";
import { isOnMain } from "../workspace/commit.ts";
import type { Repository } from "../workspace/git.ts";
import { type ClaimKey, endClaim, requeue } from "./queue/claim.ts";
import { findClaimed } from "./queue/claim-store.ts";
import { isCommitUsed } from "./board/task-run-store.ts";
import type { TaskStatus } from "./schema.ts";
import { findTask, type TaskRow } from "./store.ts";

/** How a worker other than a runner ends its work. */
export type Finish =
  | { status: "published"; commit: string; reason: string }
  | { status: "reverted" | "failed" | "queued"; reason: string };

/** Appended to the host name for a command-line worker without a name. */
const anonymousSuffix = " (command line)";

/** The ID of a worker that hasn't given a name. */
export const anonymousWorker = (host: string): string => `${host}${anonymousSuffix}`;

export interface FinishDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  repository: Repository;
  maxAttempts: number;
  /** The author of work by a worker without a name. */
  ownerName: string;
}

/** The error for a worker that no longer holds the task: 409 `conflict` with the task's state. */
export async function claimLostError(db: Db, id: number): Promise<AppError> {
  const task = await findTask(db, id);
  if (task === null) return new AppError("not_found", "This task doesn't exist.");
  return new AppError("conflict", "This claim on the task has expired. Nothing was changed.", {
    details: { status: task.status },
  });
}

async function assertNewInMain(
  { db, repository }: Pick<FinishDependencies, "db" | "repository">,
  commit: string,
): Promise<void> {
  const problem = !(await isOnMain(repository, commit))
    ? "must be a commit on the branch main"
    : (await isCommitUsed(db, commit))
      ? "already belongs to another task or run"
      : null;
  if (problem === null) return;
  throw new AppError("validation_failed", `The commit ${problem}.`, {
    fields: { commit: problem },
  });
}

/** Publishes a commit that is already on `main`: adds a changelog entry and requests a rebuild. */
async function publish(
  trx: Db,
  {
    key,
    commit,
    reason,
    at,
    now,
    ownerName,
  }: { key: ClaimKey; commit: string; reason: string; at: string; now: number; ownerName: string },
): Promise<boolean> {
  const task = await findTask(trx, key.taskId);
  if (task === null || !(await endClaim(trx, key, { status: "published", commit }, at)))
    return false;
  const worker = task.claimed_by ?? "";
  await addEntry(trx, {
    kind: task.kind === "qa-fix" ? "fix" : "content",
    title: task.title,
    detail: reason,
    at,
    actor: worker === "" || worker.endsWith(anonymousSuffix) ? ownerName : worker,
    commit,
  });
  await requestRebuild(trx, { reason: `Task ${task.id}: ${task.title}`, now });
  return true;
}

/**
 * Ends the work on a claimed task. A published task names a commit of `main` that belongs to no
 * other; it gets a changelog entry in the worker's name, otherwise the owner's, and the site is
 * rebuilt. A requeued task has used up an attempt and fails if that was the last. Throws `conflict`
 * if the claim is lost; nothing changes then.
 */
export async function finishTask(
  deps: FinishDependencies,
  key: ClaimKey,
  finish: Finish,
): Promise<TaskRow> {
  const { db, clock, maxAttempts, ownerName } = deps;
  const now = clock.now();
  const at = isoTime(now);
  // A worker that has lost its claim is told so, whatever else is wrong.
  if ((await findClaimed(db, key)) === null) throw await claimLostError(db, key.taskId);
  if (finish.status === "published") await assertNewInMain(deps, finish.commit);
  const isOwned = await db.transaction().execute(async (trx): Promise<boolean> => {
    const { reason } = finish;
    if (finish.status === "published") {
      return publish(trx, { key, commit: finish.commit, reason, at, now, ownerName });
    }
    if (finish.status !== "queued") {
      return endClaim(trx, key, { status: finish.status, error: reason }, at);
    }
    const giving = { reason, waitMs: 0, counts: true };
    const back: TaskStatus | null = await requeue(trx, key, giving, {
      at,
      maxAttempts,
      exhausted: "failed",
    });
    return back !== null;
  });
  const task = isOwned ? await findTask(db, key.taskId) : null;
  if (task === null) throw await claimLostError(db, key.taskId);
  return task;
}
