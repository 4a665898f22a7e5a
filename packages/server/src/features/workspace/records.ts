import { type Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { undefinedIfMissing } from "../../platform/files.ts";
import { findTree } from "./commit.ts";
import { mediaFolder, projectsFile, unsafeName } from "./content-paths.ts";
import { nulList, type WorkTree, type Repository } from "./git.ts";
import { workTreeOf, treeId, type Workspace } from "./workspace.ts";

/**
 * A stored file that the repository doesn't contain yet. `path` is relative to the content
 * repository.
 */
interface NewFile {
  path: string;
  bytes: number;
}

/** Limits of one git call, which is repeated completely if it is interrupted. */
const maxBatch = { files: 1000, bytes: 256 * 1024 * 1024 };

/**
 * Media are already compressed, so they are stored without compression, and large ones without
 * mapping them into memory.
 */
const storing = {
  "core.looseCompression": "0",
  "core.compression": "0",
  "core.bigFileThreshold": "8m",
};

/** Addresses of media are paths below this folder. */
const publicFolder = dirname(mediaFolder);

/** How often media are listed again because one has disappeared in the meantime. */
const maxListings = 3;

function isStored(entry: Dirent, path: string): boolean {
  const hidden = path.split("/").some((part) => part.startsWith("."));
  return entry.isFile() && !hidden && !entry.name.endsWith(".tmp") && unsafeName(path) === null;
}

/** The stored files on disk, by their path in the repository; null without the folder. */
async function mediaOnDisk(repository: Repository): Promise<Set<string> | null> {
  const root = join(repository.contentDir, mediaFolder);
  const entries = await undefinedIfMissing(readdir(root, { recursive: true, withFileTypes: true }));
  if (entries === undefined) return null;
  const paths = entries.flatMap((entry) => {
    const path = relative(root, join(entry.parentPath, entry.name));
    return isStored(entry, path) ? [`${mediaFolder}/${path}`] : [];
  });
  return new Set(paths);
}

/** The stored files in the workspace's index; dotfiles aren't media. */
async function mediaInIndex(repository: Repository, workTree: WorkTree): Promise<Set<string>> {
  const listing = await repository.git(["ls-files", "-z", "--", mediaFolder], { place: workTree });
  return new Set(nulList(listing.stdout).filter((path) => !path.includes("/.")));
}

async function sizes(repository: Repository, paths: string[]): Promise<NewFile[]> {
  const files = await mapConcurrently(paths, 16, async (path) => {
    const info = await undefinedIfMissing(stat(join(repository.contentDir, path)));
    return info === undefined ? [] : [{ path, bytes: info.size }];
  });
  return files.flat();
}

function inBatches(files: NewFile[]): NewFile[][] {
  const batches: NewFile[][] = [];
  let room = { files: 0, bytes: 0 };
  for (const file of files) {
    if (room.files === 0 || room.bytes < file.bytes) {
      batches.push([]);
      room = { ...maxBatch };
    }
    batches.at(-1)?.push(file);
    room = { files: room.files - 1, bytes: room.bytes - file.bytes };
  }
  return batches;
}

/** Writes files unchanged into the repository; git reads them, this program doesn't. */
async function hashInto(repository: Repository, files: NewFile[]): Promise<string[]> {
  const ids: string[] = [];
  const flags = Object.entries(storing).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  for (const batch of inBatches(files)) {
    const input = batch.map(({ path }) => `${join(repository.contentDir, path)}\n`).join("");
    const args = [...flags, "hash-object", "-w", "--no-filters", "--stdin-paths"];
    const { stdout } = await repository.git(args, { input, timeoutMs: 10 * 60_000 });
    ids.push(...stdout.split("\n").filter((line) => line !== ""));
  }
  return ids;
}

/** A file that a workspace has only in its index. */
interface Stored {
  path: string;
  id: string;
}

interface MediaChange {
  added: Stored[];
  removed: string[];
}

async function compareMedia(repository: Repository, workTree: WorkTree): Promise<MediaChange> {
  const known = await mediaInIndex(repository, workTree);
  for (let listing = 1; ; listing += 1) {
    const present = await mediaOnDisk(repository);
    if (present === null && known.size > 0) {
      const message = `The folder content/${mediaFolder} is missing. Restore it, or check it out with git.`;
      throw new AppError("unavailable", message);
    }
    const removed = [...known].filter((path) => present?.has(path) === false);
    const fresh = [...(present ?? [])].filter((path) => !known.has(path)).toSorted();
    const files = await sizes(repository, fresh);
    try {
      const ids = await hashInto(repository, files);
      return { added: files.map(({ path }, at) => ({ path, id: ids[at] ?? "" })), removed };
    } catch (error) {
      // A file deleted since the listing makes the whole call fail.
      const left = await sizes(repository, fresh);
      if (listing === maxListings || left.length === files.length) throw error;
    }
  }
}

/** The stored files named in the text of `database/projects.json`, by path. */
function namedMedia(projects: string): Set<string> {
  const addresses = projects.matchAll(/"(\/media\/[^"\\]+)"/g);
  return new Set(Array.from(addresses, ([, address]) => `${publicFolder}${address}`));
}

/** A file that a record names wasn't deleted but is lost: the site would have gaps. */
function assertNoMissingMedia({ removed }: MediaChange, projects: string): void {
  if (removed.length === 0) return;
  const named = namedMedia(projects);
  const lost = removed.filter((path) => named.has(path));
  const [first] = lost;
  if (first === undefined) return;
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : "";
  // Only the part before the colon is shown.
  const message = `Stored files are missing: content/${first}${more}. Restore them, or check them out with git.`;
  throw new AppError("unavailable", message);
}

/** Writes the text of the records into the repository; the work tree never contains it. */
async function storeProjects(repository: Repository, text: string): Promise<Stored> {
  const args = ["hash-object", "-w", "--no-filters", "--stdin"];
  const { stdout } = await repository.git(args, { input: text });
  return { path: projectsFile, id: stdout.trim() };
}

/** Updates the index to the stored files; the sparse work tree leaves them out. */
async function applyStored(
  repository: Repository,
  workTree: WorkTree,
  { added, removed, noFile }: MediaChange & { noFile: string },
): Promise<void> {
  const entries = [
    ...removed.map((path) => `0 ${noFile}\t${path}\0`),
    ...added.map(({ path, id }) => `100644 ${id} 0\t${path}\0`),
  ];
  const input = entries.join("");
  await repository.git(["update-index", "--add", "-z", "--index-info"], { place: workTree, input });
  await repository.git(["update-index", "--skip-worktree", "-z", "--stdin"], {
    place: workTree,
    input: added.map(({ path }) => `${path}\0`).join(""),
  });
}

/**
 * Adds what the program itself commits to the index of a new workspace: the text of
 * `database/projects.json` and the media in content/. Neither is among its files. Media names
 * identify their bytes, so only files that `main` doesn't have are read, by git. Dotfiles, `*.tmp`,
 * and anything but regular files are skipped. Returns the workspace's tree, and whether it differs
 * from its base. Throws `unavailable` if `main` has media and the folder is gone, or a file named
 * in a record is missing.
 */
export async function stageRecords(
  repository: Repository,
  workspace: Workspace,
  { exportRecords }: { exportRecords: () => Promise<string> },
): Promise<{ tree: string; changed: boolean }> {
  const workTree = workTreeOf(repository, workspace.runId);
  // In this order, because an item's row is deleted before its files: a file missing here has no
  // row there.
  const change = await compareMedia(repository, workTree);
  const projects = await exportRecords();
  assertNoMissingMedia(change, projects);
  const records = await storeProjects(repository, projects);
  const noFile = "0".repeat(workspace.baseCommit.length);
  const { removed } = change;
  const added = [...change.added, records];
  await repository.lock.run(() => applyStored(repository, workTree, { added, removed, noFile }));
  const tree = await treeId(repository, workspace);
  return { tree, changed: tree !== (await findTree(repository, workspace.baseCommit)) };
}
