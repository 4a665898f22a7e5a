import { AppError, toAppError } from "../../../kit/errors.ts";
import { PrivateTextFound } from "../../release/private/private-gate.ts";
import { describeError } from "../../runs/failure.ts";
import { PublishTakenOver } from "../../runs/publish-run.ts";
import type { Run } from "../../runs/schema.ts";
import { readRunChange } from "../../runs/serialize-run.ts";
import { findRun, findStatus } from "../../runs/store.ts";
import { parseJson } from "../../../kit/json.ts";
import { openWorkspace, workspaceDiff } from "../../workspace/workspace.ts";
import type { Attempt, CarryOutOptions, ReviewJob } from "./attempt.ts";
import { holdsClaim } from "../queue/claim.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { privateReasons } from "../review/private-reason.ts";
import { ClaimLost } from "./hold.ts";
import { type Verdict, verdictOn } from "./outcome.ts";
import type { ReviewReason } from "../schema.ts";
import { readScope } from "../scope/task-scope.ts";
import { findScopes, type TaskRow } from "../store.ts";

/** How long a publish waits for another one, in ms: nobody waits for this one. */
export const publishWaitMs = 60_000;

/** What is to go live, for the review. */
type Build = Pick<ReviewJob, "artifactSha" | "report">;

/** Such a build may have read more than the site, and shows visitors what it has read. */
const uncontained: ReviewReason = {
  kind: "uncontained",
  message: "Builds are not contained on this machine, so a person has to look first.",
  items: [],
};

/** What a task may change, as it was kept when it was queued. */
async function aboutTask(db: Db, task: TaskRow) {
  const stored = await findScopes(db, [task.id]);
  const attachments = parseJson(task.attachments) as number[];
  return { scope: readScope(task, stored.get(task.id)), attachments };
}

/** What the review finds; that it breaks is a reason of its own. */
async function found(
  { db, repository, log, review }: CarryOutOptions,
  { claim: { task }, hold: { signal } }: Attempt,
  runId: string,
  build: Build,
): Promise<ReviewReason[]> {
  try {
    const { files } = await workspaceDiff(repository, await openWorkspace(repository, runId));
    const run = await findRun(db, runId);
    const entry = run && readRunChange(run);
    return await review({ ...build, ...(await aboutTask(db, task)), files, entry, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.error({ err: error, runId }, "a change could not be looked into");
    const message = "The change could not be looked into, so a person has to.";
    return [{ kind: "unchecked", message, items: [] }];
  }
}

/** Why a person has to look at what was built; nothing speaks against it with an empty list. */
async function reviewed(
  options: CarryOutOptions,
  attempt: Attempt,
  runId: string,
  build: Build,
): Promise<ReviewReason[]> {
  const reasons = await found(options, attempt, runId, build);
  return options.tier === "bubblewrap" ? reasons : [uncontained, ...reasons];
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
  attempt: Attempt,
  runId: string,
): Promise<Verdict> {
  const { runs, db } = options;
  const { claim, hold } = attempt;
  try {
    await runs.publish(runId, {
      approvedBy: null,
      maxWaitMs: publishWaitMs,
      signal: hold.signal,
      async inTransaction(trx) {
        if (!(await holdsClaim(trx, claim))) throw new ClaimLost();
      },
      async reviewBuild(build) {
        const review = await reviewed(options, attempt, runId, build);
        if (review.length > 0) throw new NotFit(review);
      },
    });
    return { kind: "leave" };
  } catch (error) {
    // Where it isn't ready again, whoever has taken it on settles the task with it.
    if ((await findStatus(db, runId)) !== "preview_ready") throw new ClaimLost();
    hold.signal.throwIfAborted();
    // Taken for dead: whoever did so takes the task back next.
    if (error instanceof ClaimLost || error instanceof PublishTakenOver) throw new ClaimLost();
    if (error instanceof PrivateTextFound) {
      return { kind: "review", review: privateReasons(error.comparison) };
    }
    if (error instanceof NotFit) return { kind: "review", review: error.review };
    const known = toAppError(error);
    const trouble = {
      stage: "publish",
      how: "failed",
      error: known,
      reason: describeError(error),
    } as const;
    return verdictOn(trouble, claim.task.attempts);
  }
}

/** Judges what a run has ready, and publishes it where nothing speaks against that. */
export async function goLive(
  options: CarryOutOptions,
  attempt: Attempt,
  run: Run,
): Promise<Verdict> {
  const { hold } = attempt;
  const { artifactSha } = await options.runs.getPreview(run.id);
  const review = await reviewed(options, attempt, run.id, { artifactSha, report: run.checks });
  hold.signal.throwIfAborted();
  return review.length > 0 ? { kind: "review", review } : publish(options, attempt, run.id);
}
