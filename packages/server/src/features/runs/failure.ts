import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { removeFinishedWorkspace, openWorkspace, workspaceDiff } from "../workspace/workspace.ts";
import { type Execution, RunEndedElsewhere } from "./execution.ts";
import { activeStatuses } from "./run-status.ts";
import type { RunStatus } from "./schema.ts";
import { diffColumns } from "./serialize-run.ts";
import { findStatus, updateRun } from "./store.ts";

/** How a run without a preview or an answer ended. */
export interface RunFailure {
  /** `lost`: ended elsewhere; `interrupted`: because the process ended, or on request. */
  how: "failed" | "lost" | "interrupted";
  error: AppError;
  /** The reason, in one sentence. */
  reason: string;
}

/** The run ends with the process: it can be retried, and its workspace is kept for a day. */
export class RunInterrupted extends Error {}

/** Limits of a run, a day, and a month. */
const limitNames = new Set(["steps", "minutes", "tokens", "run-cost", "day", "month"]);

/** Whether an error means that a limit is reached; the work so far is then kept. */
function isLimitError(error: unknown): boolean {
  if (!(error instanceof AppError) || typeof error.details !== "object") return false;
  const limit = (error.details as { limit?: unknown } | null)?.limit;
  return typeof limit === "string" && limitNames.has(limit);
}

/** Explains in one sentence why a run failed; unexpected errors are only logged. */
export function describeError(error: unknown): string {
  if (error instanceof RunInterrupted) return "The server stopped during this run.";
  if (error instanceof BuildFailed) {
    return `The site doesn't build with these changes: ${error.errors[0] ?? error.message}`;
  }
  return toAppError(error).message;
}

/**
 * Stores the changes so far in the run's record, so that its owner can decide whether to continue
 * it.
 */
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
 * Ends an unfinished run: interrupted at a limit or by the end of the process, with its work kept;
 * otherwise failed, with everything removed. Returns the reason.
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
        log.warn({ err: cause, runId }, "couldn't store the changes of a stopped run"),
      );
    }
    const interrupted = stopped || error instanceof RunInterrupted;
    if (toAppError(error).code === "internal" && !interrupted) {
      log.error({ err: error, runId }, "run failed");
    }
    // First, because on a full disk this makes room for storing the end.
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
