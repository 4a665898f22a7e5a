import { randomBytes } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import { removeTree } from "../../../platform/files.ts";
import { lockState, removeLock, acquireLock } from "../../../platform/lock.ts";

/** A temporary folder next to an export's destination. */
export interface TemporaryFolder {
  path: string;
  /** Marks it as removed; can be called more than once. */
  end(): void;
}

const lockOf = (locksDir: string, id: string) => join(locksDir, `${id}.lock`);

/**
 * Removes what killed exports to `dir` have left. A folder belongs to this instance only if the
 * instance has a lock of the same name, and its export is dead if nobody holds that lock.
 */
async function removeAbandoned(dir: string, locksDir: string): Promise<void> {
  const before = `${basename(dir)}.`;
  // Leftovers can't be found in a folder that can be written to but not listed.
  const names = await readdir(dirname(dir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES") throw error;
    return [];
  });
  for (const name of names) {
    const id = name.startsWith(before) ? name.slice(before.length).replace(/\.part$/, "") : "";
    if (!/^[0-9a-f]{12}$/.test(id) || name !== `${before}${id}.part`) continue;
    if (lockState(lockOf(locksDir, id)) !== "free") continue;
    await removeTree(join(dirname(dir), name));
    removeLock(lockOf(locksDir, id));
  }
}

/**
 * Creates a folder next to `dir`, and removes those that killed exports to `dir` have left. The
 * process that creates it holds a lock in `locksDir`, which shows that it is alive.
 */
export async function makeTemporaryFolder(dir: string, locksDir: string): Promise<TemporaryFolder> {
  await removeAbandoned(dir, locksDir);
  const id = randomBytes(6).toString("hex");
  const lock = acquireLock(lockOf(locksDir, id));
  if (lock === null) throw new AppError("locked", "Another export is running.");
  const path = `${dir}.${id}.part`;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    lock.release();
    throw error;
  }
  return { path, end: () => lock.release() };
}
