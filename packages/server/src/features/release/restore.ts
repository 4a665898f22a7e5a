import { AppError } from "../../kit/errors.ts";
import { isOnMain, treeChanges } from "../workspace/commit.ts";
import { isWritePath } from "../workspace/content-paths.ts";
import type { Repository } from "../workspace/git.ts";
import { revertFrom } from "../workspace/merge.ts";
import { treeWith } from "../workspace/tree-with.ts";
import { assertWritable, resetWorkspace, type Workspace } from "../workspace/workspace.ts";

/** Brings a workspace that was just made to a tree; says `nothing` when that changes nothing. */
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
  /** The run changes records as well, so it has something to publish without changed files. */
  hasRecordChanges?: boolean;
}

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
  { hasRecordChanges = false }: RestoreOptions = {},
): Promise<void> {
  const tree = await revertFrom(repository, workspace.baseCommit, commit);
  const unchangedMessage = hasRecordChanges ? null : "That change is already undone.";
  await resetToTree(repository, workspace, { tree, unchangedMessage });
}

/**
 * Brings a workspace that was just made at the head of `main` to the site as a published commit left
 * it: all files that a run may write are as they were then. Publishing it is an ordinary run. Throws `not_found` when `main` doesn't hold the commit, `invalid_state` when
 * the site is like that already.
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
