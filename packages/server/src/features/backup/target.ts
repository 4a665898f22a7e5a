import { type FileHandle, link, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { Writable } from "node:stream";
import { AppError } from "../../kit/errors.ts";
import { fsyncFolder, undefinedIfMissing } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";

/** The target file of a backup. */
export interface Target {
  path: string;
  /** Writes next to the target and moves the file there once it is completely on disk. */
  write<T>(task: (sink: Writable) => Promise<T>): Promise<T>;
}

function taken(path: string): AppError {
  return new AppError("already_exists", `${path} already exists. Use --force to replace it.`);
}

async function findPlace(given: string, defaultName: string): Promise<string> {
  const wanted = resolve(given === "" ? "." : given);
  const isFolder = (await undefinedIfMissing(stat(wanted)))?.isDirectory() === true;
  const path = isFolder ? join(wanted, defaultName) : wanted;
  const folder = await realpath(dirname(path)).catch((cause: unknown) => {
    throw new AppError("not_found", `The folder ${dirname(path)} doesn't exist.`, { cause });
  });
  return join(folder, basename(path));
}

/** Files in these folders are part of the site or get cleaned up. */
async function assertOutside(path: string, { content, data }: InstancePaths): Promise<void> {
  for (const folder of [content, data]) {
    if (!path.startsWith((await realpath(folder)) + sep)) continue;
    throw new AppError("bad_request", `A backup can't be written into ${folder} itself.`);
  }
}

/** Moves the completed file into place; replaces an existing one only with `force`. */
async function moveIntoPlace(part: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(part, path);
  try {
    // Unlike a rename, a link never replaces a file created in the meantime.
    await link(part, path);
    await rm(part);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw taken(path);
    // Some file systems don't support links.
    if ((await undefinedIfMissing(lstat(path))) !== undefined) throw error;
    await rename(part, path);
  }
}

/** Writes to a file without closing it, because it is synced to disk afterwards. */
function sinkOf(handle: FileHandle): Writable {
  const write = async (chunk: Buffer, done: (error?: Error) => void) => {
    let error: Error | undefined;
    await handle.writeFile(chunk).catch((reason: Error) => (error = reason));
    done(error);
  };
  return new Writable({
    highWaterMark: 2 ** 20,
    write: (chunk: Buffer, _encoding, callback) => void write(chunk, callback),
  });
}

/** Throws `conflict` unless the path still leads to the opened file. */
async function assertOurs(handle: FileHandle, part: string): Promise<void> {
  const [ours, there] = [await handle.stat(), await undefinedIfMissing(lstat(part))];
  if (there?.ino === ours.ino && there.dev === ours.dev) return;
  throw new AppError("conflict", `Another backup is being written to ${part}.`);
}

/**
 * Resolves a backup's target: `given` can be a file, a folder, or "" for the current one. Removes
 * the `.part` of a killed backup. Throws `already_exists`, `not_found`, `bad_request`.
 */
export async function openTarget(
  given: string,
  options: { defaultName: string; force: boolean; paths: InstancePaths },
): Promise<Target> {
  const { defaultName, force, paths } = options;
  const path = await findPlace(given, defaultName);
  await assertOutside(path, paths);
  const there = await undefinedIfMissing(lstat(path));
  if (there !== undefined && (!force || !there.isFile())) throw taken(path);
  const part = `${path}.part`;
  return {
    path,
    async write(task) {
      await rm(part, { force: true });
      // It contains keys.
      const handle = await open(part, "wx", 0o600);
      try {
        const result = await task(sinkOf(handle));
        await handle.sync();
        await assertOurs(handle, part);
        await moveIntoPlace(part, path, force);
        await fsyncFolder(dirname(path));
        return result;
      } catch (error) {
        const isOurs = await assertOurs(handle, part).then(
          () => true,
          () => false,
        );
        if (isOurs) await rm(part, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
    },
  };
}
