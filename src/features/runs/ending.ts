import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { leaveWorkspace, openWorkspace, workspaceDiff } from "../workspace/workspace.ts";
import { type Execution, RunLost } from "./execution.ts";
import { changesPatch } from "./record.ts";
import { activeStatuses } from "./run.ts";
import type { RunStatus } from "./schema.ts";
import { findStatus, updateRun } from "./store.ts";

/** How a run ended that came neither to a preview nor to words. */
export interface Failure {
  /** `lost`: somebody else ended it; `interrupted`: by the end of the process, or asked to. */
  how: "failed" | "lost" | "interrupted";
  error: AppError;
  /** What is said of it, in one sentence. */
  reason: string;
}

/** Why a run ends with the process: it can be retried, and its workspace is kept for a day. */
export class Interrupted extends Error {}

/** What a run, a day or a month may take. */
const limits = new Set(["steps", "minutes", "tokens", "run-cost", "day", "month"]);

/** Whether an error says that a limit is reached: what was done so far is kept then. */
function isLimit(error: unknown): boolean {
  if (!(error instanceof AppError) || typeof error.details !== "object") return false;
  const limit = (error.details as { limit?: unknown } | null)?.limit;
  return typeof limit === "string" && limits.has(limit);
}

/** Says in one sentence why a run failed; what nobody expected is told only in the log. */
export function reasonOf(error: unknown): string {
  if (error instanceof Interrupted) return "The server stopped during this run.";
  if (error instanceof BuildFailed) {
    return `The site doesn't build with these changes: ${error.errors[0] ?? error.message}`;
  }
  return toAppError(error).message;
}

/** Notes in the run's record how far it came, for whoever decides whether it goes on. */
async function keepChanges({ db, repository, row }: Execution): Promise<void> {
  const workspace = await openWorkspace(repository, row.id);
  const { files } = await workspaceDiff(repository, workspace);
  await updateRun(db, row.id, changesPatch(files));
}

async function endAs(
  { row, events, clock }: Execution,
  status: RunStatus,
  reason: string,
): Promise<void> {
  await events.flush(row.id);
  await events.transition(
    row.id,
    activeStatuses,
    { status, error: reason, finished_at: isoTime(clock.now()) },
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
export async function endUnfinished(execution: Execution, thrown: unknown): Promise<Failure> {
  const { row, signal, db, log } = execution;
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (!(error instanceof RunLost)) {
    const stopped = isLimit(error);
    if (stopped) {
      await keepChanges(execution).catch((cause: unknown) =>
        log.warn({ err: cause, runId: row.id }, "the changes of a stopped run can't be noted"),
      );
    }
    const interrupted = stopped || error instanceof Interrupted;
    if (toAppError(error).code === "internal" && !interrupted) {
      log.error({ err: error, runId: row.id }, "run failed");
    }
    // First: on a full disk this is what makes room for writing down the end.
    if (!interrupted) await leaveWorkspace(execution.repository, row.id);
    await endAs(execution, interrupted ? "interrupted" : "failed", reasonOf(error));
  }
  if ((await findStatus(db, row.id)) !== "interrupted") {
    await leaveWorkspace(execution.repository, row.id);
  }
  const how =
    error instanceof RunLost ? "lost" : error instanceof Interrupted ? "interrupted" : "failed";
  return { how, error: toAppError(error), reason: reasonOf(error) };
}
