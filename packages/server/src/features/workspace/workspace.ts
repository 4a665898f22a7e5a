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
 * A run's own work tree of the content: only what a build may read. All else of the repository, such
 * as the exported records and the stored media, is in its index alone, and in what is committed.
 */
export interface Workspace {
  runId: string;
  dir: string;
  /** The commit of `main` it was made from. */
  baseCommit: string;
}

const runIdPattern = /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/;

function assertRunId(runId: string): void {
  if (!runIdPattern.test(runId)) {
    throw new AppError("not_found", "This workspace doesn't exist.");
  }
}

/** Where git works on a run's workspace. Throws `not_found` for an id that can't be one. */
export function workTreeOf(repository: Repository, runId: string): WorkTree {
  assertRunId(runId);
  return {
    gitDir: join(repository.gitDir, "worktrees", runId),
    workTree: join(repository.workspacesDir, runId),
    sparse: true,
  };
}

/** The last file that making a workspace writes: without it the workspace is half-made. */
function completionMarker(workTree: WorkTree): string {
  return join(workTree.gitDir, "vitrine-made");
}

const hasText = async (path: string) => (await readFile(path, "utf8").catch(() => "")) !== "";

/** Whether a workspace was made to its end, and git still finds its way: a power loss empties files. */
async function isWhole(workTree: WorkTree): Promise<boolean> {
  return (
    (await exists(completionMarker(workTree))) &&
    (await exists(workTree.workTree)) &&
    (await hasText(join(workTree.gitDir, "commondir"))) &&
    (await hasText(join(workTree.gitDir, "gitdir")))
  );
}

async function removeBoth(workTree: WorkTree): Promise<void> {
  // The mark goes first: what a kill leaves behind is then seen to be half-made.
  await removeTree(completionMarker(workTree));
  await removeTree(workTree.workTree);
  await removeTree(workTree.gitDir);
}

/** Says to git what the work tree holds; all else is in the index alone. */
async function writePatterns({ gitDir }: WorkTree): Promise<void> {
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "info", "sparse-checkout"), workspacePatterns);
}

/** Files on a commit of `main` that no commit holds yet: how far a run has come. */
export interface Checkpoint {
  baseCommit: string;
  /** A tree of the repository (treeId). */
  tree: string;
}

/**
 * Makes a run's workspace at the head of `main`, or where another run stands; a half-made one of the
 * same run is replaced. Throws `already_exists` when the run has one.
 */
export async function createWorkspace(
  repository: Repository,
  runId: string,
  from?: Checkpoint,
): Promise<Workspace> {
  const workTree = workTreeOf(repository, runId);
  await mkdir(repository.workspacesDir, { recursive: true });
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

/** The workspace of a run. Throws `not_found` when there is none, or a half-made one. */
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

/** Removes a run's workspace and what git knows of it; one that isn't there is fine. */
export async function removeWorkspace(repository: Repository, runId: string): Promise<void> {
  const workTree = workTreeOf(repository, runId);
  await repository.lock.run(() => removeBoth(workTree));
}

/**
 * Removes the workspace of what is over. Where that fails it is noted, and left to whoever removes
 * leftovers: what has come to an end, well or not, has done so whatever becomes of its workspace.
 */
export async function removeFinishedWorkspace(
  repository: Repository,
  runId: string,
): Promise<void> {
  await removeWorkspace(repository, runId).catch((error: unknown) =>
    repository.log.warn({ err: error, runId }, "a workspace can't be removed now"),
  );
}

/** Whether git's record of a work tree is one of ours, and not of one its owner made by hand. */
async function isOurs(repository: Repository, name: string): Promise<boolean> {
  const file = join(repository.gitDir, "worktrees", name, "gitdir");
  const target = await readFile(file, "utf8").catch(() => null);
  return !target || target.startsWith(repository.workspacesDir + sep);
}

/** The runs that have a workspace, whole or not. */
export async function listWorkspaces(repository: Repository): Promise<string[]> {
  const names = new Set(await readdir(repository.workspacesDir).catch(() => []));
  for (const name of await readdir(join(repository.gitDir, "worktrees")).catch(() => [])) {
    if (await isOurs(repository, name)) names.add(name);
  }
  return [...names].filter((name) => runIdPattern.test(name)).toSorted();
}

/**
 * Takes out of a workspace what an earlier version of this program has put there and no build reads,
 * such as the exported records. Their entries in the index stay. The patterns are written last: what
 * a kill stops is done again.
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
 * Removes workspaces that were being made or removed when their process died, and from all others
 * what no build reads. One that git can't read is left to whoever opens it.
 */
export async function pruneWorkspaces(repository: Repository): Promise<void> {
  for (const runId of await listWorkspaces(repository)) {
    const workTree = workTreeOf(repository, runId);
    await repository.lock.run(async () => {
      if (!(await isWhole(workTree))) return removeBoth(workTree);
      await narrowWorkspace(repository, workTree).catch((error: unknown) =>
        repository.log.warn({ err: error, runId }, "a workspace can't be narrowed now"),
      );
    });
  }
}

async function trackedFiles(repository: Repository, workTree: WorkTree): Promise<string[]> {
  const entries = nulList(
    (await repository.git(["ls-files", "-t", "-z"], { place: workTree })).stdout,
  );
  // `S` marks what the sparse work tree leaves out.
  return entries.filter((entry) => !entry.startsWith("S ")).map((entry) => entry.slice(2));
}

/**
 * Writes the workspace as it stands into the repository, as a tree that no commit holds yet, and
 * returns its id: it changes when any file does. Ignore files and attributes have no say.
 * Throws `validation_failed` naming files that can't be committed (links, nested repositories,
 * names with control characters).
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

/** What a run has changed, against the commit its workspace was made from. See treeId for errors. */
export async function workspaceDiff(
  repository: Repository,
  workspace: Workspace,
): Promise<{ files: FileDiff[] }> {
  const tree = await treeId(repository, workspace);
  return { files: await diffTrees(repository, workspace.baseCommit, tree) };
}

/** Who changes the content: a run its sources, a rebuild the records and media. */
export type Writer = "run" | "rebuild";

const mayWrite: Record<Writer, (path: string) => boolean> = {
  run: isWritePath,
  rebuild: isRecordPath,
};

/** Throws `dirty_tree` with the paths that no such writer may change like this. */
export function assertWritable(changes: readonly TreeChange[], writer: Writer = "run"): void {
  const outside = listForbiddenPaths(changes, writer);
  if (outside.length === 0) return;
  const list = outside.map((path) => JSON.stringify(path)).join(", ");
  throw new AppError("dirty_tree", `No ${writer} may change ${list}.`, {
    details: { files: outside },
  });
}

/** The paths that no such writer may change like this, be it for their place or for what they become. */
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

/** Whether git could not read a work tree's index, such as after a power loss. */
function isIndexDamaged(error: unknown): boolean {
  const words =
    error instanceof AppError && error.cause instanceof Error ? error.cause.message : "";
  return /\bindex file (corrupt|smaller)|\bbad (index|signature)|\bindex uses/i.test(words);
}

/**
 * Brings a workspace to a tree on another base: what a merge or a restore made of it. Its own state
 * must be in a tree already (treeId), for nothing else of it is kept. An index that is damaged is made
 * anew; files that only it knew stay.
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
