import { readFile } from "node:fs/promises";
import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { writeFileAtomic } from "../../../platform/files.ts";
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

/**
 * Lists the stored media as files of the site below media/. Hashes are remembered in `cacheFile` as long
 * as a file's size, time and inode stay. What is no regular file, and dotfiles, are passed over.
 */
export async function readMedia(mediaDir: string, cacheFile: string): Promise<OutputFile[]> {
  const entries = await readdir(mediaDir, { withFileTypes: true, recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  const sources = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name));
  if (sources.length === 0) return [];
  const known = await readKnown(cacheFile);
  const next: KnownHashes = {};
  let changed = false;
  const files = await mapConcurrently(sources, 16, async (source) => {
    const path = `media/${relative(mediaDir, source)}`;
    const { size: bytes, mtimeMs, ino } = await lstat(source);
    const before = known[path];
    const same =
      before !== undefined &&
      before.bytes === bytes &&
      before.mtimeMs === mtimeMs &&
      before.ino === ino;
    changed ||= !same;
    const hash = same ? before.hash : await hashFile(source, bytes);
    next[path] = { hash, bytes, mtimeMs, ino };
    return { path, source, bytes, hash };
  });
  if (changed) await writeFileAtomic(cacheFile, JSON.stringify(next));
  return files;
}
