import type { RecordChange } from "../projects/run-changes/change.ts";
import { listChanges } from "../projects/run-changes/store.ts";
import { treeChanges } from "../workspace/commit.ts";
import { diffTrees } from "../workspace/diff.ts";
import { assertWritable, treeId, type Workspace } from "../workspace/workspace.ts";
import { type Execution, readCheckpoint } from "./execution.ts";
import { diffRecords } from "./records/record-diffs.ts";
import type { FileDiff } from "./schema.ts";
import { findStatus } from "./store.ts";

/** A run's changes so far. */
export interface RunChanges {
  tree: string;
  /** The files of the workspace, and the fields of records, that differ. */
  files: FileDiff[];
  records: RecordChange[];
}

/**
 * The changes in the workspace and of the records; throws `dirty_tree` if a file is where no run
 * may write.
 */
export async function readChanges(execution: Execution, workspace: Workspace): Promise<RunChanges> {
  const { repository, db } = execution.deps;
  const tree = await treeId(repository, workspace);
  assertWritable(await treeChanges(repository, workspace.baseCommit, tree));
  const records = await listChanges(db, workspace.runId);
  const files = await diffTrees(repository, workspace.baseCommit, tree);
  return { tree, records, files: [...files, ...(await diffRecords(db, records))] };
}

/**
 * `changed`: there is something to show. `unchanged`: nothing, or only what its predecessor already
 * shows. `taken-back`: nothing, although its predecessor had changed something.
 */
export type Progress = "changed" | "unchanged" | "taken-back";

/** Compares a run's changes with those of the predecessor that it continued. */
export async function compareWithPredecessor(
  { deps, run }: Execution,
  { tree, files, records }: RunChanges,
): Promise<Progress> {
  const { origin } = run.request;
  const checkpoint = readCheckpoint(run);
  const hasChanges = files.length > 0;
  if (origin === null || checkpoint === null) return hasChanges ? "changed" : "unchanged";
  const before = await listChanges(deps.db, origin.runId);
  const isSame = checkpoint.tree === tree && JSON.stringify(before) === JSON.stringify(records);
  if (!hasChanges) return isSame ? "unchanged" : "taken-back";
  if (!isSame) return "changed";
  const isShown = (await findStatus(deps.db, origin.runId)) === "preview_ready";
  return isShown ? "unchanged" : "changed";
}
