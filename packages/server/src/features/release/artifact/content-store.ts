import { linkSync } from "node:fs";
import { copyFile, link, lstat, mkdir, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fsyncFile, undefinedIfMissing } from "../../../platform/files.ts";
import { run } from "../../../platform/process.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";

// Every file content in an artifact or a release is also stored here under its hash, as a hard
// link: the next artifact takes unchanged files from here, already compressed and synced.

const noLink = new Set(["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

/**
 * Creates a hard link synchronously, or a copy if the file system doesn't support links or is a
 * different one. With very many files, the caller yields in between (makeYieldToEventLoop).
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, ...noLink)) throw error;
    await copyFile(from, to);
  }
}

/** Moves a file, even to another file system. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    await copyFile(from, to);
    await unlink(from);
  }
}

/**
 * Links the stored file `name` (a hash with `.br`, `.gz`, or nothing appended) to `to`; false if it
 * doesn't exist.
 */
export async function takeStored(store: string, name: string, to: string): Promise<boolean> {
  try {
    await linkOrCopy(join(store, name), to);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Adds files, which are already synced, to the store; existing ones stay. */
export async function putStored(store: string, from: string, name: string): Promise<void> {
  try {
    await link(from, join(store, name));
  } catch (error) {
    // Without links, the store stays empty, and every artifact keeps its own files.
    if (!hasCode(error, "EEXIST", ...noLink)) throw error;
  }
}

/**
 * For more files than this, syncing the whole file system is cheaper than each file; this includes
 * other programs' writes.
 */
const flushedAtOnce = 256;

/**
 * Syncs these files to disk. Returns "everything" if the whole file system was synced, with all
 * names created before.
 */
export async function makeDurable(files: string[]): Promise<"everything" | "files"> {
  const [first] = files;
  if (first === undefined) return "files";
  if (files.length > flushedAtOnce) {
    const flushed = await run("sync", ["--file-system", dirname(first)]).catch(() => undefined);
    if (flushed?.exitCode === 0) return "everything";
  }
  await mapConcurrently(files, 8, fsyncFile);
  return "files";
}

/** Removes contents that are in no artifact or release any more. */
export async function sweepStore(store: string): Promise<void> {
  await mkdir(store, { recursive: true });
  await mapConcurrently(await readdir(store), 8, async (name) => {
    const stat = await lstat(join(store, name)).catch(() => undefined);
    // Another process may do the same.
    if (stat?.nlink === 1) await undefinedIfMissing(unlink(join(store, name)));
  });
}
