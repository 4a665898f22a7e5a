import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { undefinedIfMissing, writeFileAtomic } from "../../../platform/files.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { hashFile, type OutputFile } from "./output.ts";

interface CachedHash {
  hash: string;
  bytes: number;
  mtimeMs: number;
  ino: number;
}

type CachedHashes = Record<string, CachedHash>;

async function readCachedHashes(file: string): Promise<CachedHashes> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as CachedHashes;
  } catch {
    // A cache: without it, the media are hashed again.
    return {};
  }
}

/** The regular files below a folder, tolerating deletions; none if it is missing. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await undefinedIfMissing(readdir(folder, { withFileTypes: true }))) ?? [];
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
    else if (entry.isFile() && !entry.name.startsWith(".")) files.push(path);
  }
  return files;
}

/**
 * Lists the stored media as files of the site below media/. Hashes are cached in `cacheFile` as
 * long as a file's size, time, and inode stay the same. Skips everything but regular files,
 * dotfiles, and files deleted in the meantime: the site's checks find pages that still show them.
 */
export async function readMedia(mediaDir: string, cacheFile: string): Promise<OutputFile[]> {
  const sources = await filesBelow(mediaDir);
  if (sources.length === 0) return [];
  const cached = await readCachedHashes(cacheFile);
  const next: CachedHashes = {};
  let changed = false;
  const files = await mapConcurrently(sources, 16, async (source) => {
    const path = `media/${relative(mediaDir, source)}`;
    const info = await undefinedIfMissing(lstat(source));
    if (info === undefined) return [];
    const { size: bytes, mtimeMs, ino } = info;
    const before = cached[path];
    const same =
      before !== undefined &&
      before.bytes === bytes &&
      before.mtimeMs === mtimeMs &&
      before.ino === ino;
    changed ||= !same;
    const hash = same ? before.hash : await undefinedIfMissing(hashFile(source, bytes));
    if (hash === undefined) return [];
    next[path] = { hash, bytes, mtimeMs, ino };
    return [{ path, source, bytes, hash }];
  });
  if (changed) await writeFileAtomic(cacheFile, JSON.stringify(next));
  return files.flat();
}
