import { toAppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { findProject } from "../../projects/store.ts";
import { projectPath } from "../../release/export.ts";
import { assertNoHandEdits } from "../../release/hand-edits.ts";
import { describeError } from "../../runs/failure.ts";
import type { Run } from "../../runs/schema.ts";
import { findStatus, lockRun } from "../../runs/store.ts";
import type { Attempt, CarryOutOptions } from "./attempt.ts";
import { goLive } from "./going-live.ts";
import { beginWork, type Claim, endClaim, giveBack } from "../queue/claim.ts";
import { ClaimLost, Closing, type Hold } from "./hold.ts";
import { type Verdict, verdictOn } from "./outcome.ts";
import type { TaskRow } from "../store.ts";

/** Where the work on a task of a project begins; null for one that is about no page in particular. */
async function pageOf(db: Db, task: TaskRow): Promise<string | null> {
  if (task.page_url !== null || task.project_id === null) return task.page_url;
  const project = await findProject(db, { id: task.project_id });
  return project ? projectPath(project.slug) : null;
}

/** Begins the task's run, in one transaction with the task. */
async function begin({ db, runs }: CarryOutOptions, { task, ...key }: Claim): Promise<string> {
  const mediaIds = JSON.parse(task.attachments) as number[];
  const { runId } = await runs.start(
    {
      instruction: task.instruction,
      pageUrl: await pageOf(db, task),
      attachments: mediaIds.map((mediaId) => ({ use: "page", mediaId })),
    },
    {
      task: { id: task.id, attempt: task.attempts },
      async inTransaction(trx, id) {
        if (!(await beginWork(trx, key, id))) throw new ClaimLost();
      },
    },
  );
  return runId;
}

/** Waits for the run, which ends at once when the task is lost or the runner closed. */
async function settle({ runs }: CarryOutOptions, runId: string, { signal }: Hold) {
  const stop = () => {
    void (signal.reason instanceof Closing ? runs.interrupt(runId) : runs.stop(runId));
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const settled = runs.waitUntilFinished(runId);
    if (signal.aborted) stop();
    return await settled;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const left: Verdict = { kind: "leave" };

/** What becomes of a run that is over for its worker: live, waiting for a person, or nothing. */
async function judge(options: CarryOutOptions, attempt: Attempt, run: Run): Promise<Verdict> {
  if (run.status === "discarded") {
    // The agent may well say what it meant to do.
    const error = run.summary ? `Nothing was changed: ${run.summary}` : "Nothing was changed.";
    return { kind: "end", status: "reverted", error };
  }
  return run.status === "preview_ready" ? goLive(options, attempt, run) : left;
}

/** Carries out the task as far as it comes; nothing of its end is written yet. */
async function work(options: CarryOutOptions, attempt: Attempt): Promise<Verdict> {
  const { runs, repository, paths, db } = options;
  const { claim, hold } = attempt;
  const { task } = claim;
  try {
    if (task.kind === "project" && task.project_id === null) {
      return { kind: "end", status: "reverted", error: "The project of this task is gone." };
    }
    await assertNoHandEdits(repository, paths, hold.signal);
    hold.signal.throwIfAborted();
    attempt.runId = await begin(options, claim);
  } catch (error) {
    if (error instanceof ClaimLost || error instanceof Closing) throw error;
    const known = toAppError(error);
    const trouble = {
      stage: "begin",
      how: "failed",
      error: known,
      reason: describeError(error),
    } as const;
    return verdictOn(trouble, task.attempts);
  }
  const failure = await settle(options, attempt.runId, hold);
  hold.signal.throwIfAborted();
  if (failure !== null) return verdictOn({ stage: "work", ...failure }, task.attempts);
  const run = await runs.get(attempt.runId);
  // Nobody works on it: this process is being closed.
  if ((await findStatus(db, run.id)) === "queued") throw new Closing();
  return judge(options, attempt, run);
}

/** Writes what becomes of the task, and of its run where that ends with it. */
async function conclude(options: CarryOutOptions, attempt: Attempt, verdict: Verdict) {
  const { db, clock, runs, events, limits } = options;
  const { claim, runId } = attempt;
  if (verdict.kind === "leave") return;
  const at = isoTime(clock.now());
  const move = async (trx: Db) => {
    const held =
      verdict.kind === "queue"
        ? (await giveBack(trx, claim, verdict, {
            at,
            mostAttempts: limits.attempts,
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
    if (!held) throw new ClaimLost();
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
  if (reason instanceof ClaimLost) return left;
  if (!(reason instanceof Closing)) return null;
  return verdictOn({ stage: "work", how: "interrupted", error: toAppError(reason), reason: "" }, 1);
}

/**
 * Makes one attempt at a task that was claimed: its run, the judgement, the publish. Gives what
 * became of it, as far as it was for this worker to say. Throws what nobody expects; the claim then
 * lapses.
 */
export async function carryOut(
  options: CarryOutOptions,
  claim: Claim,
  hold: Hold,
): Promise<Verdict> {
  const attempt: Attempt = { claim, hold, runId: null };
  let verdict: Verdict;
  try {
    verdict = await work(options, attempt).catch((error: unknown) => {
      const stopped = whenStopped(error);
      if (stopped === null) throw error;
      return stopped;
    });
    await conclude(options, attempt, verdict);
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error;
    verdict = left;
  } finally {
    hold.end();
  }
  return verdict;
}
