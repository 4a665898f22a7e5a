import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { exists, undefinedIfMissing, removeTree } from "../../../platform/files.ts";
import type { Repository } from "../../workspace/git.ts";
import {
  startedFile,
  type ImportMediaDependencies,
  removeInterruptedMedia,
  uploadsFolder,
} from "./media.ts";
import { removeImportWorkspaces } from "./site-identity.ts";

/** The folder with the files of unfinished imports. */
export const importFolder = (data: string) => join(data, "import");

/** Whether an import is running or a killed one has left files. */
export async function hasLeftovers(workDir: string): Promise<boolean> {
  if (await exists(startedFile(workDir))) return true;
  const copied = (await undefinedIfMissing(readdir(uploadsFolder(workDir)))) ?? [];
  return copied.length > 0;
}

type CleanupDependencies = ImportMediaDependencies & { repository: Repository };

/**
 * Removes what a killed import has stored, except images that are in use or, by their hashes, still
 * needed, and returns the latter. Call this only if no import is running and the library has
 * recovered.
 */
export async function cleanUpInterruptedImport(
  deps: CleanupDependencies,
  again: ReadonlySet<string>,
): Promise<Set<string>> {
  await removeImportWorkspaces(deps.repository);
  return removeInterruptedMedia(deps, again);
}

/** Removes all of it. */
export async function removeLeftovers(deps: CleanupDependencies): Promise<void> {
  await cleanUpInterruptedImport(deps, new Set());
  await removeTree(startedFile(deps.workDir));
}
