import { AppError } from "../../kit/errors.ts";
import { exists } from "../../platform/files.ts";
import { openLock } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";

/** Whether an installation has been completed here. */
export function isInstalled(paths: InstancePaths): Promise<boolean> {
  return exists(paths.installLock);
}

/** Throws `unavailable` unless an installation has been completed here. */
export async function assertInstalled(paths: InstancePaths): Promise<void> {
  if (await isInstalled(paths)) return;
  const hint = "Run `vitrine install`, or name the folder with --dir or VITRINE_DIR.";
  throw new AppError("unavailable", `Nothing is installed in ${paths.dir}. ${hint}`);
}

/**
 * Runs `work` as the only installer of this instance; the lock ends with the process, however that
 * ends. Throws `locked` if another installer is running.
 */
export async function withInstallerLock<T>(
  paths: InstancePaths,
  work: () => Promise<T>,
): Promise<T> {
  const lock = openLock(`${paths.installLock}.working`);
  try {
    return await lock.run(work, { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "locked") throw error;
    throw new AppError("locked", `Another installation is running in ${paths.dir}.`, {
      cause: error,
    });
  } finally {
    lock.close();
  }
}
