import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { fsyncFile, fsyncFolder, removeTree } from "../../platform/files.ts";
import { isNone, type TreeChange, treeChanges } from "./commit.ts";
import { contentFolders, isMediaPath } from "./content-paths.ts";
import { mainRef, nulList, type Repository } from "./git.ts";

/** The state of content/: the commit of `main` that it shows, and manually edited files. */
export interface ContentState {
  head: string;
  /** Sorted paths, without media, which the program stores and commits itself. */
  dirty: string[];
}

/** The path of one entry of `git status --porcelain=v2`; null for a header. */
function statusPath(entry: string): string | null {
  if (/^[?!] /.test(entry)) return entry.slice(2);
  const fields = { "1": 8, u: 10, "2": 9 }[entry[0] ?? ""];
  return fields === undefined ? null : entry.split(" ").slice(fields).join(" ");
}

/** The entries of `git status` with more arguments. */
async function readStatus(repository: Repository, more: readonly string[]): Promise<string[]> {
  const args = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"];
  // Otherwise, git would start itself in each submodule, whose configuration can run programs.
  const { stdout } = await repository.git([
    ...args,
    "--no-renames",
    "--ignore-submodules=all",
    ...more,
  ]);
  return stdout.split("\0");
}

const editedPaths = (entries: readonly string[]): string[] =>
  entries.map(statusPath).filter((path): path is string => path !== null && !isMediaPath(path));

/**
 * All that isn't committed in content/, on any path, including what `.gitignore` names, submodules, and other
 * repositories. Without media, which the program stores itself.
 */
export async function listUncommitted(repository: Repository): Promise<string[]> {
  const { stdout } = await repository.git(["ls-files", "--stage", "-z"]);
  const submodules = nulList(stdout).filter((entry) => entry.startsWith("160000 "));
  const paths = submodules.map((entry) => entry.slice(entry.indexOf("\t") + 1));
  return [...editedPaths(await readStatus(repository, ["--ignored=matching"])), ...paths];
}

/**
 * Checks the content paths of content/. Throws `dirty_tree` if a branch other than `main` is
 * checked out, because the work tree then can't be updated.
 */
export async function contentState(repository: Repository): Promise<ContentState> {
  const entries = await readStatus(repository, ["--", ...contentFolders]);
  const header = (name: string) =>
    entries.find((entry) => entry.startsWith(`# ${name} `))?.slice(name.length + 3) ?? "";
  if (`refs/heads/${header("branch.head")}` !== mainRef) {
    const shown = header("branch.head");
    throw new AppError(
      "dirty_tree",
      `The content folder has ${shown} checked out instead of the branch main.`,
      {
        details: { files: [] },
      },
    );
  }
  return { head: header("branch.oid"), dirty: editedPaths(entries) };
}

/** Throws `dirty_tree` with the manually edited files. Returns the head of `main`. */
export async function assertContentClean(repository: Repository): Promise<string> {
  const { head, dirty } = await contentState(repository);
  if (dirty.length === 0) return head;
  const list = dirty.map((path) => JSON.stringify(path)).join(", ");
  throw new AppError("dirty_tree", `These files have uncommitted changes: ${list}.`, {
    details: { files: dirty },
  });
}

function blobId(data: Buffer, like: string): string {
  const algorithm = like.length === 64 ? "sha256" : "sha1";
  return createHash(algorithm).update(`blob ${data.length}\0`).update(data).digest("hex");
}

/**
 * The ID of what is at a path now: null if there is nothing, "other" if it isn't a file or is
 * reached through a link.
 */
async function idAt(repository: Repository, change: TreeChange): Promise<string | null> {
  const file = join(repository.contentDir, change.path);
  try {
    if (!(await lstat(file)).isFile()) return "other";
    const [folder, root] = await Promise.all([
      realpath(dirname(file)),
      realpath(repository.contentDir),
    ]);
    if (folder !== root && !folder.startsWith(root + sep)) return "other";
    return blobId(await readFile(file), change.newId);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR") return "other";
    throw error;
  }
}

interface UpdatePlan {
  write: TreeChange[];
  remove: TreeChange[];
  skipped: string[];
}

async function plan(repository: Repository, changes: TreeChange[]): Promise<UpdatePlan> {
  const result: UpdatePlan = { write: [], remove: [], skipped: [] };
  for (const change of changes) {
    const now = await idAt(repository, change);
    const gone = isNone(change.newId);
    const done = gone ? now === null : now === change.newId && change.oldMode === change.newMode;
    if (done) continue;
    // Nothing is there: not written yet, or deleted manually, so nothing is lost.
    const ours = now === null || now === change.oldId || now === change.newId;
    if (!ours) result.skipped.push(change.path);
    else if (gone) result.remove.push(change);
    else result.write.push(change);
  }
  return result;
}

async function removeEmptyFolders(repository: Repository, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    try {
      await rmdir(join(repository.contentDir, folder));
    } catch {
      return;
    }
  }
}

async function writeFiles(repository: Repository, changes: TreeChange[]): Promise<string[]> {
  const incoming = join(repository.gitDir, "vitrine-incoming");
  await removeTree(incoming);
  await mkdir(incoming);
  const input = changes.map((change) => `${change.path}\0`).join("");
  await repository.git(["checkout-index", "-f", "-z", "--stdin", `--prefix=${incoming}/`], {
    input,
  });
  const skipped: string[] = [];
  for (const { path, newMode } of changes) {
    const source = join(incoming, path);
    const target = join(repository.contentDir, path);
    await chmod(source, newMode === "100755" ? 0o755 : 0o644);
    await fsyncFile(source);
    try {
      await mkdir(dirname(target), { recursive: true });
      await rename(source, target);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY"].includes(code)) throw error;
      skipped.push(path);
    }
  }
  await removeTree(incoming);
  return skipped;
}

async function fsyncFolders(repository: Repository, changes: TreeChange[]): Promise<void> {
  const folders = new Set(changes.map((change) => dirname(change.path)));
  for (const folder of folders) {
    await fsyncFolder(join(repository.contentDir, folder)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    });
  }
}

/**
 * Updates the index first, because the files are checked out from it. What its owner has staged
 * stays if possible.
 */
async function updateIndex(repository: Repository, from: string, to: string): Promise<void> {
  const args = ["read-tree", "-m", "-i", from, to];
  const merged = await repository.git(args, { exitCodes: [0, 128] });
  if (merged.exitCode !== 0) await repository.git(["read-tree", "--reset", to]);
}

/**
 * Git reads new media once here, so that later checks of content/ don't. That may take minutes,
 * while others can write to the repository: only the index of content/ is locked.
 */
async function refreshIndex(repository: Repository): Promise<void> {
  const refresh = { exitCodes: [0, 1], timeoutMs: 10 * 60_000 };
  await repository.git(["update-index", "-q", "--refresh"], refresh).catch((error: unknown) => {
    repository.log.warn(
      { error },
      "new media couldn't be recorded in git's index; each check of content/ will read them",
    );
  });
}

/**
 * Updates content/ from one commit of `main` to the next, file by file: a file with the old bytes
 * gets the new ones; a file with other bytes was edited manually in the meantime and is left alone
 * (git then shows it as changed). Files are replaced atomically, and repeating the update, or
 * completing it after a crash, has the same result. Stored media are skipped, because their commits
 * are made from the files on disk. The caller holds the publish lock, so nobody else writes the
 * index of content/. Returns the skipped paths.
 */
export async function updateContent(
  repository: Repository,
  from: string,
  to: string,
): Promise<string[]> {
  const left = await repository.lock.run(async () => {
    const all = await treeChanges(repository, from, to);
    const changes = all.filter((change) => !isMediaPath(change.path));
    await updateIndex(repository, from, to);
    const first = await plan(repository, changes);
    const { remove } = first;
    for (const { path } of remove) {
      await rm(join(repository.contentDir, path), { force: true });
      await removeEmptyFolders(repository, path);
    }
    // Removes what is in a file's place: an empty folder, or a file in place of its parent folder.
    const { write, skipped } = remove.length === 0 ? first : await plan(repository, changes);
    if (write.length > 0) skipped.push(...(await writeFiles(repository, write)));
    await fsyncFolders(repository, [...remove, ...write]);
    if (skipped.length > 0)
      repository.log.warn({ kept: skipped }, "files edited by hand were left as they are");
    return skipped;
  });
  await refreshIndex(repository);
  return left;
}
