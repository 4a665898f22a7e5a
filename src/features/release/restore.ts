import { AppError } from "../../kit/errors.ts";
import { treeChanges } from "../workspace/commit.ts";
import type { Repository } from "../workspace/git.ts";
import { revertFrom } from "../workspace/merge.ts";
import { assertWritable, resetWorkspace, type Workspace } from "../workspace/workspace.ts";

/**
 * Undoes one published commit in a workspace that was just made at the head of `main`; building and
 * publishing it then is an ordinary run, whose commit goes forward (trailer `Restores:`).
 * Throws `not_found` when `main` doesn't hold the commit, `conflict` with the files when later
 * changes stand in the way, `invalid_state` when nothing of it is left to undo, `dirty_tree` when it
 * changed files that no run may write.
 */
export async function prepareRestore(
  repository: Repository,
  workspace: Workspace,
  commit: string,
): Promise<void> {
  const { baseCommit, runId } = workspace;
  const tree = await revertFrom(repository, baseCommit, commit);
  const changes = await treeChanges(repository, baseCommit, tree);
  if (changes.length === 0) {
    throw new AppError("invalid_state", "That change is already undone.");
  }
  assertWritable(changes);
  await resetWorkspace(repository, runId, { baseCommit, tree });
}
