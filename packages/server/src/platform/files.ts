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

/** What a call on a path gives; undefined where nothing is at that path. Any other failure is thrown. */
export async function undefinedIfMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Forces a file's bytes to the disk. */
export function fsyncFile(path: string): Promise<void> {
  return synced(path, "r");
}

/** Forces a folder's entries to the disk: without it a new name may be gone after a power loss. */
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
 * Replaces a file as a whole: readers see the old or the new bytes, also after a crash.
 * `mode` defaults to 0644.
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
 * Removes what killed `writeFileAtomic` calls left beside a file. Only for whoever knows that nobody
 * else writes it now.
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

/** Removes a file or folder with all below it; nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Whether something, a dangling link included, is at this path. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
