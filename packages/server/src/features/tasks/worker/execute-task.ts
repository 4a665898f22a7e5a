import { toAppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { newDrafts } from "../../projects/run-changes/change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import { findProject } from "../../projects/store.ts";
import { projectPath } from "../../release/export.ts";
import { assertNoHandEdits } from "../../release/hand-edits.ts";
import { describeError } from "../../runs/failure.ts";
import type { Run } from "../../runs/schema.ts";
import { findStatus, lockRun } from "../../runs/store.ts";
import type { Attempt, ExecuteTaskDependencies } from "./attempt.ts";
import { publishTask } from "./publish-task.ts";
import { startWork, type Claim, endClaim, requeue } from "../queue/claim.ts";
import { ClaimLost, WorkerClosing, type Lease } from "./lease.ts";
import { type Verdict, decideVerdict } from "./verdict.ts";
import type { TaskRow } from "../store.ts";

/** The page of a task's project; null if the task is about no particular page. */
async function pageOf(db: Db, task: TaskRow): Promise<string | null> {
  if (task.page_url !== null || task.project_id === null) return task.page_url;
  const project = await findProject(db, { id: task.project_id });
  return project ? projectPath(project.slug) : null;
}

function isProjectGone({ kind, project_id: id, project_status: status }: TaskRow): boolean {
  return kind === "project" && id === null && status === null;
}

/** Starts the task's run, in one transaction with the task. */
async function startAttempt(
  { db, runs }: ExecuteTaskDependencies,
  { task, ...key }: Claim,
): Promise<string> {
  const mediaIds = JSON.parse(task.attachments) as number[];
  const { runId } = await runs.start(
    {
      instruction: task.instruction,
      pageUrl: await pageOf(db, task),
      attachments: mediaIds.map((mediaId) => ({ use: "page", mediaId })),
    },
    {
      task: { id: task.id, attempt: task.attempts },
      needsModel: task.project_status !== null,
      async inTransaction(trx, id) {
        if (!(await startWork(trx, key, id))) throw new ClaimLost();
      },
    },
  );
  return runId;
}

/** Waits for the run, which ends immediately if the task is lost or the runner is closing. */
async function waitForRun({ runs }: ExecuteTaskDependencies, runId: string, { signal }: Lease) {
  const stop = () => {
    void (signal.reason instanceof WorkerClosing ? runs.interrupt(runId) : runs.stop(runId));
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const isFinished = runs.waitUntilFinished(runId);
    if (signal.aborted) stop();
    return await isFinished;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const leaveVerdict: Verdict = { kind: "leave" };

/** Whether a run has created the project that its task asks for; true if it asks for none. */
async function hasNewProject(db: Db, { claim: { task } }: Attempt, { id }: Run): Promise<boolean> {
  return task.project_status === null || newDrafts(await listChanges(db, id)).length > 0;
}

/** What happens to a run after its work: it goes live, waits for review, or ends. */
async function decideOutcome(
  deps: ExecuteTaskDependencies,
  attempt: Attempt,
  run: Run,
): Promise<Verdict> {
  if (run.status === "discarded" || !(await hasNewProject(deps.db, attempt, run))) {
    const isNewProject = attempt.claim.task.project_status !== null;
    const what = isNewProject ? "No case study was made" : "Nothing was changed";
    // The agent may have explained what it meant to do.
    const error = run.summary ? `${what}: ${run.summary}` : `${what}.`;
    return { kind: "end", status: "reverted", error };
  }
  return run.status === "preview_ready" ? publishTask(deps, attempt, run) : leaveVerdict;
}

/** Executes the task as far as possible, without storing its end. */
async function runAttempt(deps: ExecuteTaskDependencies, attempt: Attempt): Promise<Verdict> {
  const { runs, repository, paths, db } = deps;
  const { claim, lease } = attempt;
  const { task } = claim;
  try {
    if (isProjectGone(task)) {
      return { kind: "end", status: "reverted", error: "This task's project no longer exists." };
    }
    await deps.assertSpace();
    await assertNoHandEdits(repository, paths, lease.signal);
    lease.signal.throwIfAborted();
    attempt.runId = await startAttempt(deps, claim);
  } catch (error) {
    if (error instanceof ClaimLost || error instanceof WorkerClosing) throw error;
    const appError = toAppError(error);
    const taskFailure = {
      stage: "begin",
      how: "failed",
      error: appError,
      reason: describeError(error),
    } as const;
    return decideVerdict(taskFailure, task.attempts);
  }
  const failure = await waitForRun(deps, attempt.runId, lease);
  lease.signal.throwIfAborted();
  if (failure !== null) return decideVerdict({ stage: "work", ...failure }, task.attempts);
  const run = await runs.get(attempt.runId);
  // Nobody works on it: this process is closing.
  if ((await findStatus(db, run.id)) === "queued") throw new WorkerClosing();
  return decideOutcome(deps, attempt, run);
}

/** Stores the end of the task, and of its run if that ends, too. */
async function saveOutcome(deps: ExecuteTaskDependencies, attempt: Attempt, verdict: Verdict) {
  const { db, clock, runs, events, limits } = deps;
  const { claim, runId } = attempt;
  if (verdict.kind === "leave") return;
  const at = isoTime(clock.now());
  const move = async (trx: Db) => {
    const isOwned =
      verdict.kind === "queue"
        ? (await requeue(trx, claim, verdict, {
            at,
            maxAttempts: limits.attempts,
            exhausted: verdict.exhausted,
          })) !== null
        : await endClaim(
            trx,
            claim,
            verdict.kind === "review"
              ? { status: "needs_review", review: verdict.review }
              : { status: verdict.status, error: verdict.error },
            at,
          );
    if (!isOwned) throw new ClaimLost();
  };
  if (runId === null) {
    await db.transaction().execute(move);
  } else if (verdict.kind === "review") {
    await events.record(runId, async (trx) => {
      if (!(await lockRun(trx, runId, ["preview_ready"]))) throw new ClaimLost();
      await move(trx);
      return { result: undefined, events: [] };
    });
  } else {
    await runs.discardForTask(runId, move);
  }
}

function whenStopped(reason: unknown): Verdict | null {
  if (reason instanceof ClaimLost) return leaveVerdict;
  if (!(reason instanceof WorkerClosing)) return null;
  return decideVerdict(
    { stage: "work", how: "interrupted", error: toAppError(reason), reason: "" },
    1,
  );
}

/**
 * Makes one attempt at a claimed task: its run, the review, the publish. Returns the result, if
 * this worker still held the task. Throws unexpected errors; the claim then expires.
 */
export async function executeTask(
  deps: ExecuteTaskDependencies,
  claim: Claim,
  lease: Lease,
): Promise<Verdict> {
  const attempt: Attempt = { claim, lease, runId: null };
  let verdict: Verdict;
  try {
    verdict = await runAttempt(deps, attempt).catch((error: unknown) => {
      const stopped = whenStopped(error);
      if (stopped === null) throw error;
      return stopped;
    });
    await saveOutcome(deps, attempt, verdict);
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error;
    verdict = leaveVerdict;
  } finally {
    lease.end();
  }
  return verdict;
}
