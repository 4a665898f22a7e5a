import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { removeTree } from "../../platform/files.ts";
import { isNone, mainContains, type TreeChange, treeChanges } from "../workspace/commit.ts";
import { isWritePath } from "../workspace/content-paths.ts";
import type { Repository } from "../workspace/git.ts";
import { revertFrom } from "../workspace/merge.ts";
import { assertWritable, resetWorkspace, type Workspace } from "../workspace/workspace.ts";

/** Brings a workspace that was just made to a tree; says so when that changes nothing. */
async function resetToTree(
  repository: Repository,
  { baseCommit, runId }: Workspace,
  { tree, unchangedMessage }: { tree: string; unchangedMessage: string },
): Promise<void> {
  const changes = await treeChanges(repository, baseCommit, tree);
  if (changes.length === 0) throw new AppError("invalid_state", unchangedMessage);
  assertWritable(changes);
  await resetWorkspace(repository, runId, { baseCommit, tree });
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
): Promise<void> {
  const tree = await revertFrom(repository, workspace.baseCommit, commit);
  await resetToTree(repository, workspace, {
    tree,
    unchangedMessage: "That change is already undone.",
  });
}

/** The tree of a commit with some files as they are elsewhere. */
async function treeWith(
  repository: Repository,
  { baseCommit, runId }: Workspace,
  changes: readonly TreeChange[],
): Promise<string> {
  const indexFile = join(repository.gitDir, `vitrine-restore-${runId}.index`);
  // Removals first: a file may have become a folder, or the other way round.
  const removed = changes.filter(({ newId }) => isNone(newId));
  const set = changes.filter(({ newId }) => !isNone(newId));
  const entries = [
    ...removed.map(({ path, newId }) => `0 ${newId}\t${path}\0`),
    ...set.map(({ path, newMode, newId }) => `${newMode} ${newId}\t${path}\0`),
  ];
  try {
    await repository.git(["read-tree", baseCommit], { indexFile });
    const input = entries.join("");
    await repository.git(["update-index", "-z", "--index-info"], { indexFile, input });
    return (await repository.git(["write-tree"], { indexFile })).stdout.trim();
  } finally {
    await removeTree(indexFile);
  }
}

/**
 * Brings a workspace that was just made at the head of `main` to the site as a published commit left
 * it: all that a run may write is as it was then, records and media stay as they are. Publishing it
 * is an ordinary run. Throws `not_found` when `main` doesn't hold the commit, `invalid_state` when
 * the site is like that already.
 */
export async function prepareVersion(
  repository: Repository,
  workspace: Workspace,
  commit: string,
): Promise<void> {
  if (!(await mainContains(repository, commit))) {
    throw new AppError("not_found", "That commit is not part of the site.");
  }
  const changes = await treeChanges(repository, workspace.baseCommit, commit);
  const own = changes.filter(({ path }) => isWritePath(path));
  const tree = await treeWith(repository, workspace, own);
  const nothing = "The site is already as it was after that change.";
  await resetToTree(repository, workspace, { tree, unchangedMessage: nothing });
}
