import { type Dirent } from "node:fs";
import { chmod, copyFile, constants, lstat, mkdir, readdir, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { undefinedIfMissing } from "../../platform/files.ts";
import { linkOrCopy } from "../release/artifact/content-store.ts";
import { isBackupFolder, isBackupPath } from "./backup-path.ts";

/** Brings files of an instance together in a folder that has a backup's own layout. */
export interface Staging {
  dir: string;
  /** What has no place in a backup: links, sockets, names with control characters. */
  skippedFiles: string[];
  signal: AbortSignal;
}

interface StageFolderOptions {
  /** The files never change in place: they become links, as far as the file system has those. */
  immutable?: boolean;
  /** Whether a folder or file at this path of the backup is wanted. */
  includes?(path: string): boolean;
}

/** What it reads may go meanwhile: that is then no part of the backup. */
async function takeFile(from: string, to: string, immutable: boolean): Promise<void> {
  if (immutable) {
    // It may have been taken a moment ago.
    if ((await undefinedIfMissing(lstat(to))) === undefined)
      await undefinedIfMissing(linkOrCopy(from, to));
    return;
  }
  const info = await undefinedIfMissing(lstat(from));
  if (!info?.isFile()) return;
  const how = constants.COPYFILE_FICLONE;
  if ((await undefinedIfMissing(copyFile(from, to, how).then(() => true))) === undefined) return;
  await chmod(to, info.mode & 0o777);
  await utimes(to, info.atime, info.mtime);
}

/** Takes a file to its path in the backup. One that isn't there is none. */
export async function stageFile(staging: Staging, from: string, path: string): Promise<void> {
  const to = join(staging.dir, path);
  await mkdir(dirname(to), { recursive: true });
  await takeFile(from, to, false);
}

/** Takes a folder with all below it to its path in the backup. One that isn't there is none. */
export async function stageFolder(
  staging: Staging,
  from: string,
  { path, immutable = false, includes: wants = () => true }: StageFolderOptions & { path: string },
): Promise<void> {
  staging.signal.throwIfAborted();
  const entries: Dirent[] | undefined = await undefinedIfMissing(
    readdir(from, { withFileTypes: true }),
  );
  if (entries === undefined) return;
  await mkdir(join(staging.dir, path), { recursive: true });
  for (const entry of entries) {
    const [source, inside] = [join(from, entry.name), `${path}/${entry.name}`];
    if (!wants(inside)) continue;
    const isFolder = entry.isDirectory();
    if (!(isFolder ? isBackupFolder(inside) : entry.isFile() && isBackupPath(inside))) {
      if (!staging.skippedFiles.includes(inside)) staging.skippedFiles.push(inside);
    } else if (isFolder)
      await stageFolder(staging, source, { path: inside, immutable, includes: wants });
    else await takeFile(source, join(staging.dir, inside), immutable);
  }
}
