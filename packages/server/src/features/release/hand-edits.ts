import { AppError } from "../../kit/errors.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { assertContentClean } from "../workspace/content-tree.ts";
import type { Repository } from "../workspace/git.ts";
import { openPublishLock } from "./current-symlink.ts";

/** How long a publish is waited for, in ms: one that builds once more takes its time. */
const lockTimeoutMs = 30_000;

/**
 * Throws `dirty_tree` naming the files of content/ that were edited by hand. While something is being
 * published `main` is ahead of the files for a moment, which looks just the same: what looks edited is
 * looked at again when nobody publishes. Throws `locked` where that takes longer than 30 s,
 * and the reason of `signal`, which ends the waiting.
 */
export async function assertNoHandEdits(
  repository: Repository,
  paths: Pick<InstancePaths, "data">,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await assertContentClean(repository);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "dirty_tree") throw error;
    const lock = openPublishLock(paths);
    try {
      await lock.run(() => assertContentClean(repository), { waitMs: lockTimeoutMs, signal });
    } finally {
      lock.close();
    }
  }
}
