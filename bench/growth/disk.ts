import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

interface OnDisk {
  bytes: number;
  isFolder: boolean;
}

/** What is below a folder, each file with several links once. */
export type DiskState = ReadonlyMap<string, OnDisk>;

/** A number of an inode is used again after a file was deleted, but not with the same time of birth. */
const identityOf = ({ ino, birthtimeNs }: BigIntStats) => `${ino} ${birthtimeNs}`;

/** The entries of a folder; none if it was removed in the meantime. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Looks at everything below a folder, except for folders of these names, which are of passing use. */
export function readDisk(folder: string, without: readonly string[] = []): DiskState {
  const state = new Map<string, OnDisk>();
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name);
      const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (info === undefined || without.includes(entry.name)) continue;
      const isFolder = entry.isDirectory();
      state.set(identityOf(info), { bytes: Number(info.blocks) * 512, isFolder });
      if (isFolder) waiting.push(path);
    }
  }
  return state;
}

/**
 * The bytes that were added between two states: of what is new, and of what has grown. What was deleted
 * in the meantime doesn't count, such as old releases.
 */
export function addedBytes(before: DiskState, after: DiskState) {
  const added = { files: 0, folders: 0 };
  for (const [id, { bytes, isFolder }] of after) {
    const more = Math.max(0, bytes - (before.get(id)?.bytes ?? 0));
    added[isFolder ? "folders" : "files"] += more;
  }
  return added;
}

/** The bytes on disk of everything below a folder. */
export function diskBytes(folder: string): number {
  return [...readDisk(folder).values()].reduce((sum, { bytes }) => sum + bytes, 0);
}
