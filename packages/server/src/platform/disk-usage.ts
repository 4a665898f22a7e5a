import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../kit/concurrency.ts";

/** How many entries of a folder are looked at together. */
const concurrency = 16;

/**
 * The disk space that a folder needs, in bytes. Releases and artifacts are hard links to the same
 * files, so each file counts once. What is removed meanwhile doesn't count.
 */
export async function diskUsage(dir: string): Promise<number> {
  const linked = new Set<string>();
  let bytes = 0;
  async function addFolder(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    await mapConcurrently(entries, concurrency, async (entry) => {
      const path = join(folder, entry.name);
      const info = await lstat(path).catch(() => null);
      if (info === null) return;
      const key = `${info.dev} ${info.ino}`;
      if (info.nlink > 1 && !info.isDirectory()) {
        if (linked.has(key)) return;
        linked.add(key);
      }
      bytes += info.blocks * 512;
      if (info.isDirectory()) await addFolder(path);
    });
  }
  await addFolder(dir);
  return bytes;
}
