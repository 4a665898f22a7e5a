import { AppError, toAppError } from "../../../kit/errors.ts";
import { PrivateTextError } from "../../release/private/private-gate.ts";
import { describeError } from "../../runs/failure.ts";
import { PublishTakenOverError } from "../../runs/publish-run.ts";
import type { Run } from "../../runs/schema.ts";
import { readRunChange } from "../../runs/serialize-run.ts";
import { findRun, findStatus } from "../../runs/store.ts";
import { parseJson } from "../../../kit/json.ts";
import { openWorkspace, workspaceDiff } from "../../workspace/workspace.ts";
import { isContained } from "../../release/builder/sandbox.ts";
import type { Attempt, ExecuteTaskDependencies, ReviewJob } from "./attempt.ts";
import { lockClaim } from "../queue/claim.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { readUnattended } from "../../settings/queue-setting.ts";
import { applyUnattended } from "../review/unattended-policy.ts";
import { privateReasons } from "../review/private-reason.ts";
import { recordReasons } from "../review/record-reasons.ts";
import { ClaimLost } from "./lease.ts";
import { type Verdict, decideVerdict } from "./verdict.ts";
import type { ReviewReason } from "../schema.ts";
import { readScope } from "../scope/task-scope.ts";
import { findScopes, type TaskRow } from "../store.ts";

/** How long to wait for another publish, in ms: nobody waits for this one. */
export const publishWaitMs = 60_000;

/** What is about to go live, for the review. */
type Build = Pick<ReviewJob, "artifactSha" | "report">;

/** An uncontained build may have read more than the site, and show it to visitors. */
const uncontained: ReviewReason = {
  kind: "uncontained",
  message: "Builds aren't sandboxed on this machine, so the change needs your review.",
  items: [],
};

/** The scope stored when the task was queued. */
async function taskScopeAndEntry(db: Db, task: TaskRow) {
  const stored = await findScopes(db, [task.id]);
  const attachments = parseJson(task.attachments) as number[];
  return { scope: readScope(task, stored.get(task.id)), attachments };
}

/** The review's reasons; its failure is a reason, too. */
async function runReview(
  { db, repository, log, review }: ExecuteTaskDependencies,
  { claim: { task }, lease: { signal } }: Attempt,
  runId: string,
  build: Pick<ReviewJob, "artifactSha" | "report" | "comparesAppearance">,
): Promise<ReviewReason[]> {
  try {
    const { files } = await workspaceDiff(repository, await openWorkspace(repository, runId));
    const run = await findRun(db, runId);
    const entry = run && readRunChange(run);
    const job = { ...build, ...(await taskScopeAndEntry(db, task)), files, entry, signal };
    return [...(await recordReasons(db, runId, task)), ...(await review(job))];
  } catch (error) {
    signal.throwIfAborted();
    log.error({ err: error, runId }, "a change couldn't be analyzed");
    const message = "The change couldn't be analyzed, so it needs your review.";
    return [{ kind: "unchecked", message, items: [] }];
  }
}

/** Why a person has to review a build; empty if nobody has to. */
async function reviewReasons(
  deps: ExecuteTaskDependencies,
  attempt: Attempt,
  runId: string,
  build: Build,
): Promise<ReviewReason[]> {
  const unattended = await readUnattended(deps.db);
  // If no reviewing holds changes back, a missing browser must not either.
  const comparesAppearance = unattended !== "all";
  const reasons = await runReview(deps, attempt, runId, { ...build, comparesAppearance });
  const found = isContained(deps.tier) ? reasons : [uncontained, ...reasons];
  return applyUnattended(found, unattended);
}

/** The live site has changed, so a person has to review it first. */
class NeedsReview extends AppError {
  readonly review: ReviewReason[];

  constructor(review: ReviewReason[]) {
    const message =
      "The site has changed in the meantime, so the combined change needs your review.";
    super("invalid_state", message);
    this.review = review;
  }
}

/** Publishes a ready run; the claim is checked in the transaction that starts the publish. */
async function publish(
  deps: ExecuteTaskDependencies,
  attempt: Attempt,
  runId: string,
): Promise<Verdict> {
  const { runs, db } = deps;
  const { claim, lease } = attempt;
  try {
    await runs.publish(runId, {
      approvedBy: null,
      maxWaitMs: publishWaitMs,
      signal: lease.signal,
      async inTransaction(trx) {
        if (!(await lockClaim(trx, claim))) throw new ClaimLost();
      },
      async reviewBuild(build) {
        const review = await reviewReasons(deps, attempt, runId, build);
        if (review.length > 0) throw new NeedsReview(review);
      },
    });
    return { kind: "leave" };
  } catch (error) {
    // If it isn't ready again, whoever publishes it ends the task.
    if ((await findStatus(db, runId)) !== "preview_ready") throw new ClaimLost();
    lease.signal.throwIfAborted();
    // Presumed dead: whoever noticed that takes the task back next.
    if (error instanceof ClaimLost || error instanceof PublishTakenOverError) throw new ClaimLost();
    if (error instanceof PrivateTextError) {
      return { kind: "review", review: privateReasons(error.comparison) };
    }
    if (error instanceof NeedsReview) return { kind: "review", review: error.review };
    const appError = toAppError(error);
    const failure = {
      stage: "publish",
      how: "failed",
      error: appError,
      reason: describeError(error),
    } as const;
    return decideVerdict(failure, claim.task.attempts);
  }
}

/** Reviews a ready run and publishes it if there are no reasons against it. */
export async function publishTask(
  deps: ExecuteTaskDependencies,
  attempt: Attempt,
  run: Run,
): Promise<Verdict> {
  const { lease } = attempt;
  const { artifactSha } = await deps.runs.getPreview(run.id);
  const review = await reviewReasons(deps, attempt, run.id, { artifactSha, report: run.checks });
  lease.signal.throwIfAborted();
  return review.length > 0 ? { kind: "review", review } : publish(deps, attempt, run.id);
}
