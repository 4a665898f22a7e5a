import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { undefinedIfMissing } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { programVersion } from "../../platform/version.ts";
import { hashFile } from "../release/artifact/output.ts";
import { liveRelease } from "../release/current-symlink.ts";
import type { Repository } from "../workspace/git.ts";
import type { StoredCounts } from "./first-node.ts";
import { sharedFolders } from "./shared-content.ts";
import type { SharedStorage } from "./shared-storage.ts";
import { assertNoCompleteUploads, forgetEverything, isShared, listFilesBelow } from "./store.ts";

export interface LeaveStorageDependencies {
  db: Db;
  shared: SharedStorage;
  repository: Repository;
  paths: InstancePaths;
  /** The artifacts that somebody may still want to see or publish. */
  listArtifacts(): Promise<readonly string[]>;
}

/** The stored files that this node lacks or has with other bytes. */
async function listDifferent(db: Db, dir: string, folder: string): Promise<string[]> {
  const stored = await listFilesBelow(db, folder);
  const results = await mapConcurrently(stored, 8, async ({ path, blobName }) => {
    const file = join(dir, path);
    const info = await undefinedIfMissing(lstat(file));
    const isSame = info?.isFile() === true && (await hashFile(file, info.size)) === blobName;
    return isSame ? [] : [path];
  });
  return results.flat();
}

/**
 * Has everything that the nodes share in the folder of this one, and compares it by hashes. The caller holds
 * the locks of publishing. Throws `invalid_state` if nothing is shared, or while complete uploads are
 * processed, and `unavailable` with files that can't be had.
 */
export async function collectEverything(deps: LeaveStorageDependencies): Promise<StoredCounts> {
  const { db, shared, repository, paths, listArtifacts } = deps;
  if (!(await isShared(db)))
    throw new AppError("invalid_state", "This instance has nothing in an object store.");
  await assertNoCompleteUploads(db);
  await shared.content.sync(repository);
  await shared.releases.follow();
  let artifacts = 0;
  for (const sha of await listArtifacts()) {
    // A preview that no node has any more is built again when it is published.
    const isHere = await shared.artifacts.get(sha).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && error.code === "not_found") return false;
        throw error;
      },
    );
    if (isHere) artifacts += 1;
  }
  let files = 0;
  for (const folder of sharedFolders) {
    const different = await listDifferent(db, paths.dir, folder);
    if (different.length > 0) {
      const message = `${different.length} files aren't here as they were stored, such as ${different[0]}. Delete them here and run this again.`;
      throw new AppError("unavailable", message, { details: { files: different.slice(0, 100) } });
    }
    files += (await listFilesBelow(db, folder)).length;
  }
  return { files, artifacts, release: (await liveRelease(paths))?.release ?? null };
}

/**
 * Collects everything and ends the sharing: from then on, only this folder counts. The objects themselves
 * stay. `assertAlone` throws if another node is running, also one that was started while this was collected:
 * what it stores would stay in the object store only. Unfinished uploads start again; new ones are
 * refused until the restart. Throws as `collectEverything` does; then everything stays as it is.
 */
export async function leaveStorage(
  deps: LeaveStorageDependencies,
  assertAlone: () => Promise<void>,
): Promise<StoredCounts> {
  const counts = await collectEverything(deps);
  await assertAlone();
  await forgetEverything(deps.db, programVersion());
  return counts;
}
