import { AppError } from "../../kit/errors.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { assertContentClean } from "../workspace/content-tree.ts";
import type { Repository } from "../workspace/git.ts";
import { openPublishLock } from "./current-symlink.ts";

/** How long to wait for a publish, in ms; one that rebuilds takes a while. */
const lockTimeoutMs = 30_000;

/**
 * Throws `dirty_tree` with the manually edited files of content/. During a publish, `main` is ahead
 * of the files for a moment, which looks the same, so edited files are checked again while nobody
 * publishes. Throws `locked` if that takes longer than 30 s, and the reason of `signal`, which ends
 * the wait.
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
