import type { RecordChange } from "../projects/run-changes/change.ts";
import { listChanges } from "../projects/run-changes/store.ts";
import { treeChanges } from "../workspace/commit.ts";
import { diffTrees } from "../workspace/diff.ts";
import { assertWritable, treeId, type Workspace } from "../workspace/workspace.ts";
import { type Execution, readCheckpoint } from "./execution.ts";
import { diffRecords } from "./records/record-diffs.ts";
import type { FileDiff } from "./schema.ts";
import { findStatus } from "./store.ts";

/** What a run has changed so far. */
export interface RunChanges {
  tree: string;
  /** The files of the workspace, and the fields of records, that differ. */
  files: FileDiff[];
  records: RecordChange[];
}

/**
 * The changes in the workspace and of the records; throws `dirty_tree` when a file lies where no run
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
 * `changed`: there is something to show. `unchanged`: nothing, or what the run that it continues shows
 * already. `taken-back`: nothing, though the run that it continues had changed something.
 */
export type Progress = "changed" | "unchanged" | "taken-back";

/** How a run's changes compare with those that it found when it continued another run. */
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
