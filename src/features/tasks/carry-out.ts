import type { Clock } from "../../kit/clock.ts";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import { findProject } from "../projects/store.ts";
import { projectPath } from "../release/export.ts";
import { reasonOf } from "../runs/ending.ts";
import type { RunEvents } from "../runs/events.ts";
import type { Runs } from "../runs/lifecycle.ts";
import type { BuildReport, Run } from "../runs/schema.ts";
import { findStatus, holdRun } from "../runs/store.ts";
import { assertContentClean } from "../workspace/content-tree.ts";
import type { FileDiff } from "../workspace/diff.ts";
import type { Repository } from "../workspace/git.ts";
import { openWorkspace, workspaceDiff } from "../workspace/workspace.ts";
import { beginWork, type Claim, endClaim, giveBack, holdsClaim } from "./claim.ts";
import { ClaimLost, Closing, type Hold } from "./drain-hold.ts";
import { type Verdict, verdictOn } from "./outcome.ts";
import type { ReviewReason } from "./schema.ts";
import type { TaskRow } from "./store.ts";

/** A change that is built and could go live. */
export interface ReviewJob {
  artifactSha: string;
  files: FileDiff[];
  /** What the checks of the preview said; null when they could not be made. */
  report: BuildReport | null;
  signal: AbortSignal;
}

export interface CarryOutOptions {
  db: Db;
  clock: Clock;
  log: Log;
  events: RunEvents;
  runs: Runs;
  repository: Repository;
  limits: Limits["tasks"];
  /** Why a person has to look at a change first; nothing speaks against it with an empty list. */
  review(job: ReviewJob): Promise<ReviewReason[]>;
}

/** How long a publish waits for another one, in ms: nobody waits for this one. */
export const publishWaitMs = 60_000;

/** One attempt at a task. */
interface Attempt {
  claim: Claim;
  hold: Hold;
  /** Its run, once that has begun. */
  runId: string | null;
}

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
      async along(trx, id) {
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
    const settled = runs.settled(runId);
    if (signal.aborted) stop();
    return await settled;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What is to go live, for the review. */
type Build = Pick<ReviewJob, "artifactSha" | "report">;

/** What the review finds; that it breaks is a reason of its own. */
async function reviewed(
  { repository, log, review }: CarryOutOptions,
  runId: string,
  build: Build,
  { signal }: Hold,
): Promise<ReviewReason[]> {
  try {
    const { files } = await workspaceDiff(repository, await openWorkspace(repository, runId));
    return await review({ ...build, files, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.error({ err: error, runId }, "a change could not be looked into");
    const message = "The change could not be looked into, so a person has to.";
    return [{ kind: "unchecked", message, items: [] }];
  }
}

/** With what is live by now, a person has to look first. */
class NotFit extends AppError {
  readonly review: ReviewReason[];

  constructor(review: ReviewReason[]) {
    const message =
      "The site has changed meanwhile: together with that, a person has to look first.";
    super("invalid_state", message);
    this.review = review;
  }
}

/** Publishes what is ready; the claim is asked for in the transaction that begins it. */
async function publish(
  options: CarryOutOptions,
  { claim, hold }: Attempt,
  runId: string,
): Promise<Verdict> {
  const { runs, db } = options;
  try {
    await runs.publish(runId, {
      approvedBy: null,
      waitMs: publishWaitMs,
      async along(trx) {
        if (!(await holdsClaim(trx, claim))) throw new ClaimLost();
      },
      async judge(build) {
        const review = await reviewed(options, runId, build, hold);
        if (review.length > 0) throw new NotFit(review);
      },
    });
    return left;
  } catch (error) {
    // Where it isn't ready again, whoever has taken it on settles the task with it.
    if ((await findStatus(db, runId)) !== "preview_ready") throw new ClaimLost();
    if (error instanceof ClaimLost || error instanceof Closing) throw error;
    if (error instanceof NotFit) return { kind: "review", review: error.review };
    const known = toAppError(error);
    const trouble = {
      stage: "publish",
      how: "failed",
      error: known,
      reason: reasonOf(error),
    } as const;
    return verdictOn(trouble, claim.task.attempts);
  }
}

const left: Verdict = { kind: "leave" };

/** What becomes of a run that is over for its worker: live, waiting for a person, or nothing. */
async function judge(options: CarryOutOptions, attempt: Attempt, run: Run): Promise<Verdict> {
  const { runs } = options;
  const { hold } = attempt;
  if (run.status === "discarded") {
    return { kind: "end", status: "reverted", error: run.summary || "Nothing had to be changed." };
  }
  if (run.status !== "preview_ready") return left;
  const { artifactSha } = await runs.preview(run.id);
  const review = await reviewed(options, run.id, { artifactSha, report: run.checks }, hold);
  hold.signal.throwIfAborted();
  return review.length > 0 ? { kind: "review", review } : publish(options, attempt, run.id);
}

/** Carries out the task as far as it comes; nothing of its end is written yet. */
async function work(options: CarryOutOptions, attempt: Attempt): Promise<Verdict> {
  const { runs, repository, db } = options;
  const { claim, hold } = attempt;
  const { task } = claim;
  try {
    if (task.kind === "project" && task.project_id === null) {
      return { kind: "end", status: "reverted", error: "The project of this task is gone." };
    }
    await assertContentClean(repository);
    hold.signal.throwIfAborted();
    attempt.runId = await begin(options, claim);
  } catch (error) {
    if (error instanceof ClaimLost || error instanceof Closing) throw error;
    const known = toAppError(error);
    const trouble = {
      stage: "begin",
      how: "failed",
      error: known,
      reason: reasonOf(error),
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
      if (!(await holdRun(trx, runId, ["preview_ready"]))) throw new ClaimLost();
      await move(trx);
      return { result: undefined, events: [] };
    });
  } else {
    await runs.drop(runId, move);
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
