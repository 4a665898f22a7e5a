import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The bytes on disk of everything below a folder, each file with several links once. */
export function diskBytes(folder: string): number {
  const seen = new Set<number>();
  const entries: Dirent[] = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const info = lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    if (info === undefined || seen.has(info.ino)) return sum;
    seen.add(info.ino);
    return sum + info.blocks * 512;
  }, 0);
}
