import { type Dirent, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { chmod, copyFile, constants, lstat, mkdir, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { undefinedIfMissing } from "../../platform/files.ts";
import { linkOrCopy } from "../release/artifact/content-store.ts";
import { isBackupFolder, isBackupPath } from "./backup-path.ts";

/** Collects an instance's files in the layout of a backup. */
export interface Staging {
  dir: string;
  /** Entries that can't be backed up: links, sockets, names with control characters. */
  skippedFiles: string[];
  signal: AbortSignal;
}

interface StageFolderOptions {
  /** Whether the files never change in place; then they are hard-linked if possible. */
  immutable?: boolean;
  /** Whether to include the file or folder at this path of the backup. */
  includes?(path: string): boolean;
}

/** Files that disappear while they are collected aren't part of the backup. */
async function takeFile(from: string, to: string, immutable: boolean): Promise<void> {
  if (immutable) {
    // It may have been collected a moment ago.
    if (lstatSync(to, { throwIfNoEntry: false }) === undefined)
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

/** Collects a file at its path in the backup; does nothing if it doesn't exist. */
export async function stageFile(staging: Staging, from: string, path: string): Promise<void> {
  const to = join(staging.dir, path);
  await mkdir(dirname(to), { recursive: true });
  await takeFile(from, to, false);
}

function readFolder(dir: string): Dirent[] | undefined {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Collects a folder with its content; does nothing if it doesn't exist. */
export async function stageFolder(
  staging: Staging,
  from: string,
  { path, immutable = false, includes: wants = () => true }: StageFolderOptions & { path: string },
): Promise<void> {
  // So that the command can be interrupted: synchronous calls take a tenth of the time for thousands
  // of small files.
  await turn();
  staging.signal.throwIfAborted();
  const entries = readFolder(from);
  if (entries === undefined) return;
  mkdirSync(join(staging.dir, path), { recursive: true });
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
