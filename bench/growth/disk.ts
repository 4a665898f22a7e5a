import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

interface OnDisk {
  bytes: number;
  isFolder: boolean;
}

/** What is below a folder, each file with several links once. */
export type DiskState = ReadonlyMap<string, OnDisk>;

/** A number of an inode is used again after a file was deleted, but not with the same time of birth. */
const identityOf = ({ ino, birthtimeNs }: BigIntStats) => `${ino} ${birthtimeNs}`;

/** Looks at everything below a folder. */
export function readDisk(folder: string): DiskState {
  const state = new Map<string, OnDisk>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (info === undefined) continue;
    state.set(identityOf(info), { bytes: Number(info.blocks) * 512, isFolder: info.isDirectory() });
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
