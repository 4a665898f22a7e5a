import { isoTime } from "../../../kit/time.ts";
import { PrivateTextError } from "../../release/private/private-gate.ts";
import { describeError } from "../../runs/failure.ts";
import { PublishTakenOverError } from "../../runs/publish-run.ts";
import { findStatus } from "../../runs/store.ts";
import type { ExecuteTaskDependencies } from "./attempt.ts";
import { publishWaitMs } from "./publish-task.ts";
import { ClaimLost } from "./lease.ts";
import { privateReasons } from "../review/private-reason.ts";
import type { ReviewReason } from "../schema.ts";
import { refuseApproval } from "../queue/queue.ts";
import { lockApproved } from "./run-hooks-store.ts";
import { listApprovedTasks, type TaskRow } from "../store.ts";

type Options = Pick<ExecuteTaskDependencies, "db" | "clock" | "runs" | "log">;

async function publishApproved(
  options: Options,
  task: TaskRow,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, runs, log } = options;
  const { run_id: runId, approved_by: approvedBy } = task;
  const refuse = (error: string, review: ReviewReason[] = []) =>
    refuseApproval(db, task.id, error, isoTime(clock.now()), review);
  if (runId === null) return refuse("Its preview is gone.");
  try {
    await runs.publish(runId, {
      approvedBy,
      maxWaitMs: publishWaitMs,
      signal,
      async inTransaction(trx) {
        if (!(await lockApproved(trx, task))) throw new ClaimLost();
      },
    });
  } catch (error) {
    // Closed in the meantime, or presumed dead: it stays approved for the next check or runner.
    if (error instanceof ClaimLost || error instanceof PublishTakenOverError || signal.aborted)
      return;
    // Another runner or the console was first, or its publisher completes it later.
    const status = await findStatus(db, runId);
    if (status === "publishing" || status === "published") return;
    log.info({ err: error, taskId: task.id }, "an approved change couldn't be published");
    // What has become private since has to be shown before it can be confirmed.
    const review = error instanceof PrivateTextError ? privateReasons(error.comparison) : [];
    await refuse(describeError(error), review);
  }
}

/** Publishes approved tasks one by one until `signal` is aborted. */
export async function publishAllApproved(options: Options, signal: AbortSignal): Promise<void> {
  for (const task of await listApprovedTasks(options.db)) {
    if (signal.aborted) return;
    await publishApproved(options, task, signal);
  }
}
