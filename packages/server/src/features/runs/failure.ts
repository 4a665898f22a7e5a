import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { removeFinishedWorkspace, openWorkspace, workspaceDiff } from "../workspace/workspace.ts";
import { type Execution, RunEndedElsewhere } from "./execution.ts";
import { activeStatuses } from "./run-status.ts";
import type { RunStatus } from "./schema.ts";
import { diffColumns } from "./serialize-run.ts";
import { findStatus, updateRun } from "./store.ts";

/** How a run ended that came neither to a preview nor to words. */
export interface RunFailure {
  /** `lost`: somebody else ended it; `interrupted`: by the end of the process, or asked to. */
  how: "failed" | "lost" | "interrupted";
  error: AppError;
  /** What is said of it, in one sentence. */
  reason: string;
}

/** Why a run ends with the process: it can be retried, and its workspace is kept for a day. */
export class RunInterrupted extends Error {}

/** What a run, a day or a month may take. */
const limitNames = new Set(["steps", "minutes", "tokens", "run-cost", "day", "month"]);

/** Whether an error says that a limit is reached: what was done so far is kept then. */
function isLimitError(error: unknown): boolean {
  if (!(error instanceof AppError) || typeof error.details !== "object") return false;
  const limit = (error.details as { limit?: unknown } | null)?.limit;
  return typeof limit === "string" && limitNames.has(limit);
}

/** Says in one sentence why a run failed; what nobody expected is told only in the log. */
export function describeError(error: unknown): string {
  if (error instanceof RunInterrupted) return "The server stopped during this run.";
  if (error instanceof BuildFailed) {
    return `The site doesn't build with these changes: ${error.errors[0] ?? error.message}`;
  }
  return toAppError(error).message;
}

/** Stores in the run's record how far it came, for whoever decides whether to continue it. */
async function saveChanges({ deps, run }: Execution): Promise<void> {
  const workspace = await openWorkspace(deps.repository, run.row.id);
  const { files } = await workspaceDiff(deps.repository, workspace);
  await updateRun(deps.db, run.row.id, diffColumns(files));
}

async function endRun({ deps, run }: Execution, status: RunStatus, reason: string): Promise<void> {
  await deps.events.flush(run.row.id);
  await deps.events.transition(
    run.row.id,
    activeStatuses,
    { status, error: reason, finished_at: isoTime(deps.clock.now()) },
    [
      { type: "error", data: { message: reason } },
      { type: "run.finished", data: { status, error: reason } },
    ],
  );
}

/**
 * Ends a run that could not be finished in the state that fits: interrupted at a limit or by the end
 * of the process, with all that was done kept, else failed, with nothing left behind. Gives why.
 */
export async function endFailedRun(execution: Execution, thrown: unknown): Promise<RunFailure> {
  const { deps, signal } = execution;
  const { db, log, repository } = deps;
  const { id: runId } = execution.run.row;
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (!(error instanceof RunEndedElsewhere)) {
    const stopped = isLimitError(error);
    if (stopped) {
      await saveChanges(execution).catch((cause: unknown) =>
        log.warn({ err: cause, runId }, "the changes of a stopped run can't be noted"),
      );
    }
    const interrupted = stopped || error instanceof RunInterrupted;
    if (toAppError(error).code === "internal" && !interrupted) {
      log.error({ err: error, runId }, "run failed");
    }
    // First: on a full disk this is what makes room for writing down the end.
    if (!interrupted) await removeFinishedWorkspace(repository, runId);
    await endRun(execution, interrupted ? "interrupted" : "failed", describeError(error));
  }
  if ((await findStatus(db, runId)) !== "interrupted") {
    await removeFinishedWorkspace(repository, runId);
  }
  const how =
    error instanceof RunEndedElsewhere
      ? "lost"
      : error instanceof RunInterrupted
        ? "interrupted"
        : "failed";
  return { how, error: toAppError(error), reason: describeError(error) };
}
