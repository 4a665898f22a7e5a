import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { removeFinishedWorkspace } from "../workspace/workspace.ts";
import { cleanUp, deleteArtifact, removeRunFiles } from "./cleanup.ts";
import { findActiveSuccessor } from "./request-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { activeStatuses, invalidStateError } from "./run-status.ts";
import type { RunEvent, RunStatus } from "./schema.ts";
import { findStatus, lockRun, requireRun } from "./store.ts";
import { listTaskLeftovers } from "./task-store.ts";
import type { Worker } from "./worker.ts";

type InTransaction = (transaction: Db) => Promise<void>;

/** Closes a run from one of these states; returns whether it was in one. */
async function closeRunFrom(
  { events, clock }: RunDependencies,
  runId: string,
  from: readonly RunStatus[],
  status: "cancelled" | "discarded",
  inTransaction?: InTransaction,
): Promise<boolean> {
  const finished: RunEvent = { type: "run.finished", data: { status } };
  const patch = { status, finished_at: isoTime(clock.now()) };
  return events.transition(runId, from, patch, [finished], inTransaction);
}

/** Closes a run that a person has ended. Throws `not_found`, `invalid_state`. */
async function closeRun(
  deps: RunDependencies,
  runId: string,
  from: readonly RunStatus[],
  status: "cancelled" | "discarded",
): Promise<void> {
  await requireRun(deps.db, runId);
  const isClosed = await closeRunFrom(deps, runId, from, status, (transaction) =>
    deps.onRunClosed(transaction, { runId, status, successor: null }),
  );
  if (!isClosed) throw invalidStateError(status, (await requireRun(deps.db, runId)).status);
}

/** See `Runs.cancel`. */
export async function cancelRun(
  deps: RunDependencies,
  worker: Worker,
  runId: string,
): Promise<void> {
  await closeRun(deps, runId, activeStatuses, "cancelled");
  await worker.stop(runId);
}

/** See `Runs.discard`. */
export async function discardRun(deps: RunDependencies, runId: string): Promise<void> {
  await closeRun(deps, runId, ["preview_ready", "failed", "interrupted"], "discarded");
  // The run has ended in any case: files that can't be removed now are removed by a later cleanup.
  await removeFinishedWorkspace(deps.repository, runId);
  try {
    const { artifact_sha: sha } = await requireRun(deps.db, runId);
    if (sha !== null) await deleteArtifact(deps, sha);
    await cleanUp(deps);
  } catch (error) {
    deps.log.warn({ err: error, runId }, "couldn't remove a run's leftovers; will try again");
  }
}

/** Tries each state once, because the run may move to another before the next try. */
async function tryCloseRun(
  deps: RunDependencies,
  runId: string,
  inTransaction: InTransaction,
): Promise<boolean> {
  if (await closeRunFrom(deps, runId, activeStatuses, "cancelled", inTransaction)) return true;
  const waiting: RunStatus[] = ["preview_ready", "interrupted"];
  if (await closeRunFrom(deps, runId, waiting, "discarded", inTransaction)) return true;
  return deps.events.record(runId, async (transaction) => {
    const isOver = await lockRun(transaction, runId, ["failed", "cancelled", "discarded"]);
    if (isOver) await inTransaction(transaction);
    return { result: isOver, events: [] };
  });
}

/** See `Runs.discardForTask`. */
export async function discardTaskRun(
  deps: RunDependencies,
  worker: Worker,
  runId: string,
  inTransaction: InTransaction,
): Promise<boolean> {
  while (!(await tryCloseRun(deps, runId, inTransaction))) {
    const status = await findStatus(deps.db, runId);
    if (status === null || status === "publishing" || status === "published") return false;
  }
  await worker.stop(runId);
  await removeRunFiles(deps, runId, (await requireRun(deps.db, runId)).artifact_sha);
  return true;
}

async function removeLeftover(
  deps: RunDependencies,
  { id, status, artifactSha }: Awaited<ReturnType<typeof listTaskLeftovers>>[number],
): Promise<void> {
  if (status === "interrupted") {
    // Another run continues it, and closes it when that run is ready.
    if ((await findActiveSuccessor(deps.db, id)) !== null) return;
    if (!(await closeRunFrom(deps, id, ["interrupted"], "discarded"))) return;
  }
  await removeRunFiles(deps, id, artifactSha);
}

/** Removes what finished runs of tasks have left, whoever ended them. */
export async function removeTaskLeftovers(deps: RunDependencies): Promise<void> {
  for (const leftover of await listTaskLeftovers(deps.db)) {
    await removeLeftover(deps, leftover).catch((error: unknown) =>
      deps.log.error({ err: error, runId: leftover.id }, "couldn't remove a run's leftovers"),
    );
  }
}
