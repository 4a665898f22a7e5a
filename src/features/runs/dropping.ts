import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { leaveWorkspace } from "../workspace/workspace.ts";
import { need, type RunsContext } from "./context.ts";
import { dropArtifact } from "./housekeeping.ts";
import { activeHeir } from "./request-store.ts";
import { activeStatuses } from "./run.ts";
import type { RunEvent, RunStatus } from "./schema.ts";
import { findStatus, holdRun, updateRun } from "./store.ts";
import { leftOfTasks } from "./task-store.ts";

type Along = (transaction: Db) => Promise<void>;

/** Closes a run from one of these states; gives whether it was in one. */
async function closeFrom(
  { events, clock }: RunsContext,
  runId: string,
  from: readonly RunStatus[],
  status: "cancelled" | "discarded",
  along?: Along,
): Promise<boolean> {
  const finished: RunEvent = { type: "run.finished", data: { status } };
  const patch = { status, finished_at: isoTime(clock.now()) };
  return events.transition(runId, from, patch, [finished], along);
}

/** One look at the run: it may be in another state by the time that the next one is tried. */
async function closeOnce(context: RunsContext, runId: string, along: Along): Promise<boolean> {
  if (await closeFrom(context, runId, activeStatuses, "cancelled", along)) return true;
  const waiting: RunStatus[] = ["preview_ready", "interrupted"];
  if (await closeFrom(context, runId, waiting, "discarded", along)) return true;
  return context.events.record(runId, async (trx) => {
    const over = await holdRun(trx, runId, ["failed", "cancelled", "discarded"]);
    if (over) await along(trx);
    return { result: over, events: [] };
  });
}

/** Removes the workspace and the artifact of a run that is over. */
async function removeLeft(context: RunsContext, runId: string, sha: string | null): Promise<void> {
  await leaveWorkspace(context.repository, runId);
  if (sha === null) return;
  await dropArtifact(context, sha);
  await updateRun(context.db, runId, { artifact_sha: null });
}

/** See `Runs.drop`. */
export async function dropRun(context: RunsContext, runId: string, along: Along): Promise<boolean> {
  while (!(await closeOnce(context, runId, along))) {
    const status = await findStatus(context.db, runId);
    if (status === null || status === "publishing" || status === "published") return false;
  }
  await context.worker.stop(runId);
  await removeLeft(context, runId, (await need(context, runId)).artifact_sha);
  return true;
}

async function clearOne(
  context: RunsContext,
  { id, status, artifactSha }: Awaited<ReturnType<typeof leftOfTasks>>[number],
): Promise<void> {
  if (status === "interrupted") {
    // Somebody goes on with it: it is closed when that is ready.
    if ((await activeHeir(context.db, id)) !== null) return;
    if (!(await closeFrom(context, id, ["interrupted"], "discarded"))) return;
  }
  await removeLeft(context, id, artifactSha);
}

/** Removes what runs of tasks have left that are over, whoever ended them. */
export async function clearLeft(context: RunsContext): Promise<void> {
  for (const left of await leftOfTasks(context.db)) {
    await clearOne(context, left).catch((error: unknown) =>
      context.log.error({ err: error, runId: left.id }, "what a run has left can't be removed"),
    );
  }
}
