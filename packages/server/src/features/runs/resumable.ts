import { type Checkpoint, openWorkspace, treeId } from "../workspace/workspace.ts";
import { isRetained } from "./cleanup.ts";
import { findConversation } from "./conversation-store.ts";
import { readCheckpoint } from "./execution.ts";
import { findRequest } from "./request-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { RunRow } from "./store.ts";

type ResumableDependencies = Pick<RunDependencies, "db" | "clock" | "repository">;

function findWorkspace({ repository }: ResumableDependencies, row: RunRow) {
  return openWorkspace(repository, row.id).catch(() => null);
}

function hasWorkLeft(deps: ResumableDependencies, row: RunRow): boolean {
  return (
    row.kind === "edit" && (row.status === "preview_ready" || isRetained(row, deps.clock.now()))
  );
}

/**
 * Where a run's work stands, for another run to go on from: ready ones, and those interrupted within
 * the last day. Null where nothing of it is left.
 */
export async function findCheckpoint(
  deps: ResumableDependencies,
  row: RunRow,
): Promise<Checkpoint | null> {
  if (!hasWorkLeft(deps, row)) return null;
  const workspace = await findWorkspace(deps, row);
  if (workspace !== null) {
    const tree = await treeId(deps.repository, workspace);
    return { baseCommit: workspace.baseCommit, tree };
  }
  // One that never came to make its workspace stands where it would have begun.
  return readCheckpoint({ row, request: await findRequest(deps.db, row.id) });
}

/** Whether a run's work is still there; cheaper than finding out what it is. */
export async function isResumable(deps: ResumableDependencies, row: RunRow): Promise<boolean> {
  if (!hasWorkLeft(deps, row)) return false;
  if ((await findWorkspace(deps, row)) !== null) return true;
  return readCheckpoint({ row, request: await findRequest(deps.db, row.id) }) !== null;
}

/** Whether a retry of the run goes on from where it stood. */
export async function canResume(deps: ResumableDependencies, row: RunRow): Promise<boolean> {
  if (row.status !== "interrupted" || !(await isResumable(deps, row))) return false;
  return (await findConversation(deps.db, row.id)) !== null;
}
