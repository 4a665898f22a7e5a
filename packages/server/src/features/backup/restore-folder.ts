import { mkdir, readdir, readFile, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";
import {
  exists,
  fsyncFolder,
  undefinedIfMissing,
  removeTree,
  writeFileAtomic,
} from "../../platform/files.ts";
import { acquireLock } from "../../platform/lock.ts";
import { instancePaths } from "../../platform/paths.ts";

/** The folder inside the instance's folder in which a restore works. */
const workName = ".vitrine-restore";
/** Moved in this order; the last one marks the instance as installed. */
const moved = ["content", "vitrine.json", "data"] as const;
/** Entries that new file systems contain. */
const foreign = new Set(["lost+found"]);

const markSchema = z.strictObject({
  /** Where the rows were or will be restored; null for SQLite. */
  database: z.string().nullable(),
  /** The SHA-256 of PostgreSQL's dump. */
  dump: z.string().nullable(),
  answer: z.unknown(),
});

/** States durably that the restored files were verified and are about to be moved into place. */
export type RestoreMarker = z.infer<typeof markSchema>;

/** The folder that becomes an instance. */
export interface RestoreFolder {
  /** Where the instance is assembled. */
  tree: string;
  /** The marker of a killed restore; null if there is none. */
  before: RestoreMarker | null;
  /** Call before filling a database or moving anything. */
  writeMarker(mark: RestoreMarker): Promise<void>;
  /** Removes the marker after the database was rolled back. */
  removeMarker(): Promise<void>;
  /** Moves the tree into place. The last move makes it an instance. */
  finish(): Promise<void>;
}

async function readMark(work: string): Promise<RestoreMarker | null> {
  const text = await undefinedIfMissing(readFile(join(work, "mark.json"), "utf8"));
  if (text === undefined) return null;
  return markSchema.parse(parseJson(text));
}

/** Throws `already_exists` if the folder contains anything that isn't from a killed restore. */
async function assertFree(dir: string, mark: RestoreMarker | null): Promise<void> {
  const paths = instancePaths(dir);
  if (await exists(paths.installLock)) {
    const message = `There is already an instance in ${dir}. Choose an empty folder.`;
    throw new AppError("already_exists", message);
  }
  const left: readonly string[] = mark === null ? [] : moved;
  const names = (await undefinedIfMissing(readdir(dir))) ?? [];
  const strange = names.find(
    (name) => !foreign.has(name) && name !== workName && !left.includes(name),
  );
  if (strange === undefined) return;
  const message = `${dir} is not empty: it contains ${strange}. Choose an empty folder.`;
  throw new AppError("already_exists", message);
}

/** Whether a killed restore had completed its last move. */
async function isThere(dir: string, work: string): Promise<boolean> {
  const { installLock } = instancePaths(dir);
  return (await exists(installLock)) && !(await exists(join(work, "tree/data")));
}

async function moveAll(dir: string, tree: string): Promise<void> {
  for (const name of moved) {
    await rename(join(tree, name), join(dir, name));
    await fsyncFolder(dir);
  }
}

async function clear(dir: string, work: string, mark: RestoreMarker | null): Promise<void> {
  await removeTree(join(work, "tree"));
  if (mark === null) return;
  for (const name of moved) await removeTree(join(dir, name));
}

/** Removes the folders created for the restore, of which `first` is the topmost. */
async function removeEmpty(dir: string, first: string): Promise<void> {
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    await rmdir(made).catch(() => {});
  }
}

/**
 * Runs `work` in a folder that becomes an instance, with an exclusive lock, after removing what a
 * killed restore has left. If that restore had completed its last move, returns its result. If
 * `work` throws, nothing is left, or, after the marker was written, the marker and the moved files;
 * neither is an instance, and the next call removes them. Throws `already_exists` for a folder that
 * isn't empty, `locked` during another restore.
 */
export async function withRestoreFolder<T>(
  dir: string,
  work: (restoreFolder: RestoreFolder) => Promise<T>,
): Promise<T> {
  const inside = join(dir, workName);
  const first = await mkdir(dir, { recursive: true });
  // Checked before anything is created, so that other folders are left unchanged.
  const wasStarted = await exists(inside);
  if (!wasStarted) await assertFree(dir, null);
  await mkdir(inside, { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(inside, "lock"));
  if (lock === null) throw new AppError("locked", `Another restore is running in ${dir}.`);
  let isMarked = false;
  const end = async () => {
    lock.release();
    await removeTree(inside);
  };
  try {
    const before = await readMark(inside);
    if (before !== null && (await isThere(dir, inside))) {
      await end();
      return before.answer as T;
    }
    await assertFree(dir, before);
    isMarked = before !== null;
    await clear(dir, inside, before);
    const tree = join(inside, "tree");
    await mkdir(tree);
    const result = await work({
      tree,
      before,
      async writeMarker(mark) {
        isMarked = true;
        await writeFileAtomic(join(inside, "mark.json"), JSON.stringify(mark), { mode: 0o600 });
      },
      async removeMarker() {
        await removeTree(join(inside, "mark.json"));
        isMarked = false;
      },
      finish: () => moveAll(dir, tree),
    });
    await end();
    await fsyncFolder(dir);
    return result;
  } catch (error) {
    lock.release();
    await removeTree(isMarked ? join(inside, "tree") : inside);
    if (!isMarked && first !== undefined) await removeEmpty(dir, first);
    throw error;
  }
}
