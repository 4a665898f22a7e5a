import { linkSync } from "node:fs";
import { copyFile, link, lstat, mkdir, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fsyncFile, undefinedIfMissing } from "../../../platform/files.ts";
import { run } from "../../../platform/process.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";

// Every content that an artifact or a release holds is also here under its hash, as a hard link: the
// next artifact takes what has not changed from here, with its compressed forms, durable already.

const noLink = new Set(["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

/**
 * A hard link, made at once, or a copy where the file system has none or the file is on another one.
 * Among very many files the caller gives others their turn (makeTurns).
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, ...noLink)) throw error;
    await copyFile(from, to);
  }
}

/** Moves a file, also to another file system. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    await copyFile(from, to);
    await unlink(from);
  }
}

/** Links the stored file `name` (a hash with `.br` or `.gz` or nothing after it) to `to`; false: not there. */
export async function takeStored(store: string, name: string, to: string): Promise<boolean> {
  try {
    await linkOrCopy(join(store, name), to);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Puts files, which are durable, into the store; one that is there already stays. */
export async function putStored(store: string, from: string, name: string): Promise<void> {
  try {
    await link(from, join(store, name));
  } catch (error) {
    // Without links the store stays empty and every artifact keeps its own files.
    if (!hasCode(error, "EEXIST", ...noLink)) throw error;
  }
}

/**
 * Above this many files one flush of the file system is cheaper than one for each; it takes other
 * programs' writes with it.
 */
const flushedAtOnce = 256;

/**
 * Forces the bytes of these files to the disk. Gives "everything" when the whole file system was
 * flushed, with all names that were made on it before.
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

/** Removes what no artifact and no release holds any more. */
export async function sweepStore(store: string): Promise<void> {
  await mkdir(store, { recursive: true });
  await mapConcurrently(await readdir(store), 8, async (name) => {
    const stat = await lstat(join(store, name)).catch(() => undefined);
    // Another process may be at the same.
    if (stat?.nlink === 1) await undefinedIfMissing(unlink(join(store, name)));
  });
}
