import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { exists, removeTree } from "../../platform/files.ts";
import type { TreeChange } from "./commit.ts";
import { isBuildPath, isRecordPath, isWritePath, workspacePatterns } from "./content-paths.ts";
import { diffTrees, type FileDiff } from "./diff.ts";
import { mainHead, nulList, type WorkTree, type Repository } from "./git.ts";
import { assertNames, listFiles } from "./tree-files.ts";

/**
 * A run's own work tree of the content with only the files that a build may read. Everything else
 * in the repository, such as the exported records and the stored media, is only in its index and in
 * commits.
 */
export interface Workspace {
  runId: string;
  dir: string;
  /** The commit of `main` that it was created from. */
  baseCommit: string;
}

const runIdPattern = /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/;

function assertRunId(runId: string): void {
  if (!runIdPattern.test(runId)) {
    throw new AppError("not_found", "This workspace doesn't exist.");
  }
}

/** The work tree of a run. Throws `not_found` for an invalid ID. */
export function workTreeOf(repository: Repository, runId: string): WorkTree {
  assertRunId(runId);
  return {
    gitDir: join(repository.gitDir, "worktrees", runId),
    workTree: join(repository.workspacesDir, runId),
    sparse: true,
  };
}

/** The last file written when a workspace is created: without it, the workspace is incomplete. */
function completionMarker(workTree: WorkTree): string {
  return join(workTree.gitDir, "vitrine-made");
}

const hasText = async (path: string) => (await readFile(path, "utf8").catch(() => "")) !== "";

/**
 * Whether a workspace was created completely and is still readable by git: a power failure can
 * empty files.
 */
async function isWhole(workTree: WorkTree): Promise<boolean> {
  return (
    (await exists(completionMarker(workTree))) &&
    (await exists(workTree.workTree)) &&
    (await hasText(join(workTree.gitDir, "commondir"))) &&
    (await hasText(join(workTree.gitDir, "gitdir")))
  );
}

async function removeBoth(workTree: WorkTree): Promise<void> {
  // The marker is removed first, so that the rest counts as incomplete if this is killed.
  await removeTree(completionMarker(workTree));
  await removeTree(workTree.workTree);
  await removeTree(workTree.gitDir);
}

/** Tells git which files the work tree contains; all others are only in the index. */
async function writePatterns({ gitDir }: WorkTree): Promise<void> {
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "info", "sparse-checkout"), workspacePatterns);
}

/** Files based on a commit of `main` that aren't in any commit yet: a run's progress. */
export interface Checkpoint {
  baseCommit: string;
  /** A tree in the repository (treeId). */
  tree: string;
}

/**
 * Creates a run's workspace at the head of `main`, or at another run's checkpoint, replacing an
 * incomplete one of the same run. Throws `already_exists` if the run has one.
 */
export async function createWorkspace(
  repository: Repository,
  runId: string,
  from?: Checkpoint,
): Promise<Workspace> {
  const workTree = workTreeOf(repository, runId);
  await mkdir(repository.workspacesDir, { recursive: true });
  if (from === undefined) await repository.remote?.sync(repository);
  return repository.lock.run(async () => {
    if (await exists(completionMarker(workTree))) {
      throw new AppError("already_exists", "The run already has a workspace.");
    }
    await removeBoth(workTree);
    const baseCommit = from?.baseCommit ?? (await mainHead(repository));
    const add = ["worktree", "add", "--quiet", "--detach", "--no-checkout"];
    await repository.git([...add, workTree.workTree, baseCommit]);
    await writePatterns(workTree);
    await repository.git(["read-tree", "-m", "-u", from?.tree ?? baseCommit], { place: workTree });
    await writeFile(completionMarker(workTree), "");
    return { runId, dir: workTree.workTree, baseCommit };
  });
}

/** The workspace of a run. Throws `not_found` if there is none, or it is incomplete. */
export async function openWorkspace(repository: Repository, runId: string): Promise<Workspace> {
  const workTree = workTreeOf(repository, runId);
  const head = (await isWhole(workTree))
    ? await readFile(join(workTree.gitDir, "HEAD"), "utf8").catch(() => "")
    : "";
  if (!/^[0-9a-f]{40,64}\n$/.test(head)) {
    throw new AppError("not_found", "The workspace of this run has been deleted.");
  }
  return { runId, dir: workTree.workTree, baseCommit: head.trim() };
}

/** Removes a run's workspace and git's record of it; a missing one is fine. */
export async function removeWorkspace(repository: Repository, runId: string): Promise<void> {
  const workTree = workTreeOf(repository, runId);
  await repository.lock.run(() => removeBoth(workTree));
}

/**
 * Removes the workspace of a finished run. A failure is logged and left to the cleanup, because the
 * run has ended in any case.
 */
export async function removeFinishedWorkspace(
  repository: Repository,
  runId: string,
): Promise<void> {
  await removeWorkspace(repository, runId).catch((error: unknown) =>
    repository.log.warn({ err: error, runId }, "couldn't remove a workspace; will try again"),
  );
}

/** Whether git's record of a work tree is ours, rather than one that the owner created. */
async function isOurs(repository: Repository, name: string): Promise<boolean> {
  const file = join(repository.gitDir, "worktrees", name, "gitdir");
  const target = await readFile(file, "utf8").catch(() => null);
  return !target || target.startsWith(repository.workspacesDir + sep);
}

/** The runs that have a workspace, complete or not. */
export async function listWorkspaces(repository: Repository): Promise<string[]> {
  const names = new Set(await readdir(repository.workspacesDir).catch(() => []));
  for (const name of await readdir(join(repository.gitDir, "worktrees")).catch(() => [])) {
    if (await isOurs(repository, name)) names.add(name);
  }
  return [...names].filter((name) => runIdPattern.test(name)).toSorted();
}

/**
 * Removes files from a workspace that an earlier version put there and no build reads, such as the
 * exported records. Their index entries stay. The patterns are written last, so that an interrupted
 * call is repeated.
 */
async function narrowWorkspace(repository: Repository, workTree: WorkTree): Promise<void> {
  const file = join(workTree.gitDir, "info", "sparse-checkout");
  if ((await readFile(file, "utf8").catch(() => "")) === workspacePatterns) return;
  const outside = (await trackedFiles(repository, workTree)).filter((path) => !isBuildPath(path));
  const input = outside.map((path) => `${path}\0`).join("");
  await repository.git(["update-index", "--skip-worktree", "-z", "--stdin"], {
    place: workTree,
    input,
  });
  for (const path of outside) await removeTree(join(workTree.workTree, path));
  await writePatterns(workTree);
}

/**
 * Removes workspaces that were being created or removed when their process died, and from all
 * others the files that no build reads. Those that git can't read are left to `openWorkspace`.
 */
export async function pruneWorkspaces(repository: Repository): Promise<void> {
  for (const runId of await listWorkspaces(repository)) {
    const workTree = workTreeOf(repository, runId);
    await repository.lock.run(async () => {
      if (!(await isWhole(workTree))) return removeBoth(workTree);
      await narrowWorkspace(repository, workTree).catch((error: unknown) =>
        repository.log.warn({ err: error, runId }, "couldn't restrict a workspace; will try again"),
      );
    });
  }
}

async function trackedFiles(repository: Repository, workTree: WorkTree): Promise<string[]> {
  const entries = nulList(
    (await repository.git(["ls-files", "-t", "-z"], { place: workTree })).stdout,
  );
  // `S` marks entries that the sparse work tree leaves out.
  return entries.filter((entry) => !entry.startsWith("S ")).map((entry) => entry.slice(2));
}

/**
 * Writes the current workspace into the repository as a tree without a commit and returns its ID,
 * which changes when any file does. Ignore files and attributes have no effect. Throws
 * `validation_failed` with files that can't be committed (links, nested repositories, names with
 * control characters).
 */
export async function treeId(repository: Repository, workspace: Workspace): Promise<string> {
  const workTree = workTreeOf(repository, workspace.runId);
  const files = await listFiles(workspace.dir, [""]);
  assertNames(files);
  return repository.lock.run(async () => {
    const paths = new Set(await trackedFiles(repository, workTree));
    for (const file of files) paths.add(file.path);
    const input = [...paths].map((path) => `${path}\0`).join("");
    await repository.git(["update-index", "--add", "--remove", "-z", "--stdin"], {
      place: workTree,
      input,
    });
    return (await repository.git(["write-tree"], { place: workTree })).stdout.trim();
  });
}

/**
 * A run's changes compared with the commit that its workspace was created from. Throws the errors
 * of treeId.
 */
export async function workspaceDiff(
  repository: Repository,
  workspace: Workspace,
): Promise<{ files: FileDiff[] }> {
  const tree = await treeId(repository, workspace);
  return { files: await diffTrees(repository, workspace.baseCommit, tree) };
}

/** Who changes the content: a run changes its sources, a rebuild the records and media. */
export type Writer = "run" | "rebuild";

const mayWrite: Record<Writer, (path: string) => boolean> = {
  run: isWritePath,
  rebuild: isRecordPath,
};

/** Throws `dirty_tree` with the paths that this writer may not change like this. */
export function assertWritable(changes: readonly TreeChange[], writer: Writer = "run"): void {
  const outside = listForbiddenPaths(changes, writer);
  if (outside.length === 0) return;
  const list = outside.map((path) => JSON.stringify(path)).join(", ");
  throw new AppError("dirty_tree", `No ${writer} may change ${list}.`, {
    details: { files: outside },
  });
}

/**
 * The paths that this writer may not change like this, because of their place or their new type.
 */
export function listForbiddenPaths(
  changes: readonly TreeChange[],
  writer: Writer = "run",
): string[] {
  return changes
    .filter(({ path, newMode }) => {
      const plain = ["100644", "100755", "000000"].includes(newMode);
      return !plain || !mayWrite[writer](path);
    })
    .map(({ path }) => path);
}

/** Whether git could not read a work tree's index, such as after a power failure. */
function isIndexDamaged(error: unknown): boolean {
  const words =
    error instanceof AppError && error.cause instanceof Error ? error.cause.message : "";
  return /\bindex file (corrupt|smaller)|\bbad (index|signature)|\bindex uses/i.test(words);
}

/**
 * Resets a workspace to a tree on another base, the result of a merge or restore. Its own state
 * must already be stored as a tree (treeId), because nothing else of it is kept. A damaged index is
 * created again; files that only it knew stay.
 */
export async function resetWorkspace(
  repository: Repository,
  runId: string,
  to: Checkpoint,
): Promise<Workspace> {
  const workTree = workTreeOf(repository, runId);
  const readTree = () =>
    repository.git(["read-tree", "--reset", "-u", to.tree], { place: workTree });
  return repository.lock.run(async () => {
    await writePatterns(workTree);
    await readTree().catch(async (error: unknown) => {
      if (!isIndexDamaged(error)) throw error;
      await rm(join(workTree.gitDir, "index"), { force: true });
      await readTree();
    });
    const args = ["update-ref", "--no-deref", "HEAD", to.baseCommit];
    await repository.git(args, { place: workTree });
    return { runId, dir: workTree.workTree, baseCommit: to.baseCommit };
  });
}
