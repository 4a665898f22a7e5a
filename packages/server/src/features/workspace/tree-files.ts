import { type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { unsafeName } from "./content-paths.ts";

/** An entry of a work tree that isn't a folder. `problem` says why it can't be committed. */
export interface TreeFile {
  path: string;
  problem: string | null;
}

/** Far above any quota of a run: limits the walk, not the site. */
const maxFiles = 50_000;

function problemOf(entry: Dirent, path: string): string | null {
  const name = unsafeName(path);
  if (name !== null) return name;
  if (entry.isSymbolicLink()) return "it is a link";
  return entry.isFile() ? null : "it is not a regular file";
}

async function walk(root: string, folder: string, found: TreeFile[]): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    // The work tree's own link to its repository; git never reads it here.
    if (path === ".git") continue;
    // A folder with an uncommittable name is reported as a whole and not entered.
    if (entry.isDirectory() && unsafeName(path) === null) await walk(root, path, found);
    else found.push({ path, problem: problemOf(entry, path) });
    if (found.length > maxFiles) throw new AppError("too_large", "There are too many files.");
  }
}

/**
 * All files below some folders of a work tree (`[""]` for all of it), including ignored ones and
 * those in nested repositories: git's own listing hides both, but a build would read them.
 */
export async function listFiles(root: string, folders: readonly string[]): Promise<TreeFile[]> {
  const found: TreeFile[] = [];
  for (const folder of folders) {
    await walk(root, folder, found).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  return found;
}

/** Throws `validation_failed` with each file that can't be committed and the reason. */
export function assertNames(files: readonly TreeFile[]): void {
  const bad = files.filter((file) => file.problem !== null);
  if (bad.length === 0) return;
  const fields = Object.fromEntries(bad.map((file) => [file.path, file.problem ?? ""]));
  const list = bad.map((file) => `${JSON.stringify(file.path)}: ${file.problem}`).join("; ");
  throw new AppError("validation_failed", `Some files can't be committed. ${list}.`, { fields });
}
