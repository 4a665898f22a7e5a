import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

async function synced(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The result of a call on a path; undefined if nothing exists there. Throws other errors. */
export async function undefinedIfMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Syncs a file to disk. */
export function fsyncFile(path: string): Promise<void> {
  return synced(path, "r");
}

/** Syncs a folder's entries to disk: without this, a new name may be lost in a power failure. */
export function fsyncFolder(dir: string): Promise<void> {
  return synced(dir, "r");
}

async function writeAndSync(handle: FileHandle, data: string | Uint8Array): Promise<void> {
  try {
    await handle.writeFile(data);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file atomically: readers see the old or the new bytes, even after a crash. `mode`
 * defaults to 0644.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeAndSync(await open(temporary, "wx", options.mode ?? 0o644), data);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await fsyncFolder(dirname(path));
}

/**
 * Removes what killed `writeFileAtomic` calls left next to a file. Call only if nobody else is
 * writing it.
 */
export async function removeTemporaryFiles(path: string): Promise<void> {
  const dir = dirname(path);
  const start = `${basename(path)}.`;
  for (const name of await readdir(dir).catch(() => [])) {
    const isTemporary =
      name.startsWith(start) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(start.length));
    if (isTemporary) await rm(join(dir, name), { force: true });
  }
}

/** Removes a file or folder with its content; does nothing if it doesn't exist. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Writes all of a chunk at a position of a file. */
export async function writeAll(
  handle: FileHandle,
  chunk: Uint8Array,
  position: number,
): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const left = chunk.length - written;
    const { bytesWritten } = await handle.write(chunk, written, left, position + written);
    written += bytesWritten;
  }
}

/** Whether something, including a dangling link, exists at this path. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
