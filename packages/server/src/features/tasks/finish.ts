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

/** How a worker that is no runner ends its work. */
export type Finish =
  | { status: "published"; commit: string; reason: string }
  | { status: "reverted" | "failed" | "queued"; reason: string };

/** What follows the machine's name where a worker of the command line has told none of its own. */
const anonymousSuffix = " (command line)";

/** What a worker is known by that has told no name. */
export const anonymousWorker = (host: string): string => `${host}${anonymousSuffix}`;

export interface FinishDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  repository: Repository;
  maxAttempts: number;
  /** Whose the work of a worker without a name is. */
  ownerName: string;
}

/** The refusal of a worker that doesn't hold the task any more: 409 `conflict` with its state. */
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
      ? "belongs to another task or run already"
      : null;
  if (problem === null) return;
  throw new AppError("validation_failed", `The commit ${problem}.`, {
    fields: { commit: problem },
  });
}

/** A commit that is in main: in the changelog, and on its way before the public. */
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
 * Ends the work on a task whose claim the key is. A published one names a commit of `main` that is
 * nothing else's; it gets an entry in the changelog, by the name that the worker told or else the
 * owner's, and the site follows it. One that is queued again has used up an attempt: without another it has failed. Throws `conflict` when the claim is
 * lost, and then nothing has changed.
 */
export async function finishTask(
  deps: FinishDependencies,
  key: ClaimKey,
  finish: Finish,
): Promise<TaskRow> {
  const { db, clock, maxAttempts, ownerName } = deps;
  const now = clock.now();
  const at = isoTime(now);
  // A worker that has lost its claim hears of that, whatever else is wrong.
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
