import { lstat, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { ifThere, writeFileAtomic } from "../../../platform/files.ts";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { hashFile, type OutputFile } from "./output.ts";

interface KnownHash {
  hash: string;
  bytes: number;
  mtimeMs: number;
  ino: number;
}

type KnownHashes = Record<string, KnownHash>;

async function readKnown(file: string): Promise<KnownHashes> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as KnownHashes;
  } catch {
    // A cache: without it the media are hashed again.
    return {};
  }
}

/** The regular files below a folder, whatever goes from it meanwhile; none where it is missing. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(path)));
    else if (entry.isFile() && !entry.name.startsWith(".")) files.push(path);
  }
  return files;
}

/**
 * Lists the stored media as files of the site below media/. Hashes are remembered in `cacheFile` as long
 * as a file's size, time and inode stay. What is no regular file, and dotfiles, are passed over, and
 * so is what is deleted meanwhile: whether a page still shows it is for the checks of the site.
 */
export async function readMedia(mediaDir: string, cacheFile: string): Promise<OutputFile[]> {
  const sources = await filesBelow(mediaDir);
  if (sources.length === 0) return [];
  const known = await readKnown(cacheFile);
  const next: KnownHashes = {};
  let changed = false;
  const files = await mapConcurrently(sources, 16, async (source) => {
    const path = `media/${relative(mediaDir, source)}`;
    const info = await ifThere(lstat(source));
    if (info === undefined) return [];
    const { size: bytes, mtimeMs, ino } = info;
    const before = known[path];
    const same =
      before !== undefined &&
      before.bytes === bytes &&
      before.mtimeMs === mtimeMs &&
      before.ino === ino;
    changed ||= !same;
    const hash = same ? before.hash : await ifThere(hashFile(source, bytes));
    if (hash === undefined) return [];
    next[path] = { hash, bytes, mtimeMs, ino };
    return [{ path, source, bytes, hash }];
  });
  if (changed) await writeFileAtomic(cacheFile, JSON.stringify(next));
  return files.flat();
}
