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
 * The checkpoint of a run that another one can continue: a ready run, or one interrupted within the
 * last day. Null if nothing of it is left.
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
  // A run that never got a workspace is at the commit where it would have started.
  return readCheckpoint({ row, request: await findRequest(deps.db, row.id) });
}

/** Whether a run's work still exists; cheaper than `findCheckpoint`. */
export async function isResumable(deps: ResumableDependencies, row: RunRow): Promise<boolean> {
  if (!hasWorkLeft(deps, row)) return false;
  if ((await findWorkspace(deps, row)) !== null) return true;
  return readCheckpoint({ row, request: await findRequest(deps.db, row.id) }) !== null;
}

/** Whether a retry of the run continues where it stopped. */
export async function canResume(deps: ResumableDependencies, row: RunRow): Promise<boolean> {
  if (row.status !== "interrupted" || !(await isResumable(deps, row))) return false;
  return (await findConversation(deps.db, row.id)) !== null;
}
