import { AppError } from "../../kit/errors.ts";
import { isOnMain, treeChanges } from "../workspace/commit.ts";
import { isWritePath } from "../workspace/content-paths.ts";
import type { Repository } from "../workspace/git.ts";
import { revertFrom } from "../workspace/merge.ts";
import { treeWith } from "../workspace/tree-with.ts";
import { assertWritable, resetWorkspace, type Workspace } from "../workspace/workspace.ts";

/** Resets a new workspace to a tree; throws with `nothing` if that changes nothing. */
async function resetToTree(
  repository: Repository,
  { baseCommit, runId }: Workspace,
  { tree, unchangedMessage }: { tree: string; unchangedMessage: string | null },
): Promise<void> {
  const changes = await treeChanges(repository, baseCommit, tree);
  if (changes.length === 0 && unchangedMessage !== null) {
    throw new AppError("invalid_state", unchangedMessage);
  }
  assertWritable(changes);
  await resetWorkspace(repository, runId, { baseCommit, tree });
}

export interface RestoreOptions {
  /** The run also changes records, so it has something to publish without changed files. */
  hasRecordChanges?: boolean;
}

/**
 * Undoes a published commit in a new workspace at the head of `main`; building and publishing it is
 * an ordinary run, whose commit goes forward (trailer `Restores:`). Throws `not_found` if `main`
 * doesn't contain the commit, `conflict` with the files if later changes overlap, `invalid_state`
 * if nothing is left to undo, `dirty_tree` if it changed files that no run may write.
 */
export async function prepareRestore(
  repository: Repository,
  workspace: Workspace,
  commit: string,
  { hasRecordChanges = false }: RestoreOptions = {},
): Promise<void> {
  const tree = await revertFrom(repository, workspace.baseCommit, commit);
  const unchangedMessage = hasRecordChanges ? null : "That change is already undone.";
  await resetToTree(repository, workspace, { tree, unchangedMessage });
}

/**
 * Restores the site's state after a published commit in a new workspace at the head of `main`: all
 * files that a run may write are as they were then. Publishing it is an ordinary run. Throws
 * `not_found` if `main` doesn't contain the commit, `invalid_state` if the site already has this
 * state.
 */
export async function prepareVersion(
  repository: Repository,
  workspace: Workspace,
  commit: string,
  { hasRecordChanges = false }: RestoreOptions = {},
): Promise<void> {
  if (!(await isOnMain(repository, commit))) {
    throw new AppError("not_found", "That commit isn't part of the site's history.");
  }
  const changes = await treeChanges(repository, workspace.baseCommit, commit);
  const own = changes.filter(({ path }) => isWritePath(path));
  const tree = await treeWith(repository, workspace.baseCommit, own);
  const already = "The site is already as it was after that change.";
  const unchangedMessage = hasRecordChanges ? null : already;
  await resetToTree(repository, workspace, { tree, unchangedMessage });
}
