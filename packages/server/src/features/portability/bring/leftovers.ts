import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { exists, ifThere, removeTree } from "../../../platform/files.ts";
import type { Repository } from "../../workspace/git.ts";
import { begunFile, type MediaParts, settleBegun, uploadsFolder } from "./media.ts";
import { removeImportWorkspaces } from "./own.ts";

/** The folder in which imports keep what they have begun. */
export const importFolder = (data: string) => join(data, "import");

/** Whether an import is under way, or one that was killed has left something. */
export async function hasLeftovers(workDir: string): Promise<boolean> {
  if (await exists(begunFile(workDir))) return true;
  const copied = (await ifThere(readdir(uploadsFolder(workDir)))) ?? [];
  return copied.length > 0;
}

type LeftoverParts = MediaParts & { repository: Repository };

/**
 * Takes back what an import that was killed has begun, but the pictures that are used by now and those
 * that are wanted `again`, by their hashes: gives those. For whoever knows that no import is under
 * way, once the library has recovered.
 */
export async function settleLeftovers(
  parts: LeftoverParts,
  again: ReadonlySet<string>,
): Promise<Set<string>> {
  await removeImportWorkspaces(parts.repository);
  return settleBegun(parts, again);
}

/** Takes all of it back. */
export async function clearLeftovers(parts: LeftoverParts): Promise<void> {
  await settleLeftovers(parts, new Set());
  await removeTree(begunFile(parts.workDir));
}
