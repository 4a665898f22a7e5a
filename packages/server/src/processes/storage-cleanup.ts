import { join } from "node:path";
import { openStatuses } from "../features/runs/run-status.ts";
import { listRunsByStatus } from "../features/runs/store.ts";
import { removeUnusedBackups } from "../features/backup/stored/stored-backups.ts";
import { cleanUpStorage } from "../features/storage/cleanup.ts";
import { AppError } from "../kit/errors.ts";
import { removeExpiredAttempts } from "../platform/db/shared-limits.ts";
import { openLock } from "../platform/lock.ts";
import { artifactsInUse } from "./follow-nodes.ts";
import type { Instance } from "./instance.ts";
import { repeat, type RepeatingTask } from "./repeat.ts";

/** How often what isn't needed any more is removed from the object store, in ms. */
const everyMs = 60 * 60 * 1000;

/**
 * Removes what isn't needed any more from the object store, by one node at a time, and attempts that no
 * longer count.
 */
export function openStorageCleanup(instance: Instance): RepeatingTask {
  const { config, database, clock, log, shared } = instance;
  if (shared === null) return { start() {}, async close() {} };
  const { db } = database;
  const lock = shared.lock("storage", openLock(join(config.paths.data, "storage.lock")));
  const deps = {
    db,
    clock,
    shared,
    keepReleases: config.limits.keep.releases,
    listArtifacts: async () => [
      ...(await artifactsInUse(db)),
      ...(await shared.previews.artifacts()),
    ],
    listRuns: async () => (await listRunsByStatus(db, openStatuses)).map(({ id }) => id),
  };
  // One that fails doesn't keep the other from its work.
  const cleanUp = async () => {
    const backups = removeUnusedBackups({ db, objects: shared.objects });
    const [others, ofBackups] = await Promise.allSettled([cleanUpStorage(deps), backups]);
    if (others.status === "rejected") throw others.reason;
    if (ofBackups.status === "rejected") throw ofBackups.reason;
    return others.value + ofBackups.value;
  };
  const work = async () => {
    await removeExpiredAttempts(db);
    const removed = await lock.run(cleanUp, { waitMs: 0 });
    if (removed > 0) log.info({ removed }, "removed what was unused from the object store");
  };
  const task = repeat(work, {
    everyMs,
    // A further site may be awake for a few minutes only.
    runImmediately: config.site !== null,
    onError(error) {
      if (error instanceof AppError && error.code === "locked") return;
      log.warn({ err: error }, "couldn't clean up the object store; will try again");
    },
  });
  return {
    start: task.start,
    async close() {
      await task.close();
      lock.close();
    },
  };
}
