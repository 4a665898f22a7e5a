import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../platform/files.ts";

/** A path in `dir` for a folder that no longer matters when this process has ended. */
export function processFolder(dir: string): string {
  return join(dir, `${process.pid}-${randomBytes(6).toString("hex")}`);
}

function isLiving(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes the folders of `processFolder` of processes that ended without doing so. */
export async function removeLeftoverFolders(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const pid = Number(name.split("-")[0]);
    if (!Number.isInteger(pid) || !isLiving(pid)) await removeTree(join(dir, name));
  }
}
