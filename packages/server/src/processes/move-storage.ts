import { join } from "node:path";
import { openPublishLock } from "../features/release/current-symlink.ts";
import { listRunners, silentAfterMs } from "../features/runs/runners/store.ts";
import { storeEverything } from "../features/storage/first-node.ts";
import { leaveStorage } from "../features/storage/leave-storage.ts";
import { openSharedStorage } from "../features/storage/shared-storage.ts";
import { isShared } from "../features/storage/store.ts";
import { hasFurtherSites, hasSiteRemovals } from "../features/sites/copy-store.ts";
import { makeRepository } from "../features/workspace/git.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import type { OpenedInstance } from "../platform/cli.ts";
import type { Db } from "../platform/db/connect.ts";
import { lockState } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import type { InstancePaths } from "../platform/paths.ts";
import { artifactsInUse } from "./follow-nodes.ts";

const lockTimeoutMs = 120_000;

/** Throws `in_use` if a runner that isn't of this folder has been heard of within the last minute. */
async function assertNoOtherNodes(db: Db, { runners }: InstancePaths): Promise<void> {
  const others = (await listRunners(db)).filter(({ id, isGone, seenAt, now }) => {
    const isOwn = lockState(join(runners, `${id}.lock`)) !== "missing";
    return !isOwn && !isGone && Date.parse(now) - Date.parse(seenAt) < silentAfterMs;
  });
  if (others.length === 0) return;
  const hosts = [...new Set(others.map(({ host }) => host))].join(", ");
  const message = `Another node is running (on ${hosts}). Stop it, wait a minute, and run this again.`;
  throw new AppError("in_use", message);
}

/**
 * Throws `invalid_state` if there are further sites, which nobody could take along, or objects of removed
 * ones, which nobody would remove afterwards.
 */
export async function assertNoFurtherSites(db: Db): Promise<void> {
  if (await hasFurtherSites(db)) {
    const message = "Export the further sites and remove them first; import them afterwards.";
    throw new AppError("invalid_state", message);
  }
  if (await hasSiteRemovals(db)) {
    const message =
      "Removed sites still have objects in the object store. A running node removes them: wait, and run this again.";
    throw new AppError("invalid_state", message);
  }
}

/** Implements `vitrine migrate-storage`. */
export async function moveStorage(
  { config, database: { db } }: OpenedInstance,
  to: "store" | "folder",
  { clock, log }: { clock: Clock; log: Log },
): Promise<object> {
  const { paths } = config;
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const shared = openSharedStorage(config, db);
  if (shared === null) {
    const message = "Set STORAGE_URL, and DATABASE_URL for PostgreSQL, to name the object store.";
    throw new AppError("bad_request", message, { fields: { STORAGE_URL: "is missing" } });
  }
  const repository = makeRepository({ contentDir, workspacesDir, log, remote: shared.content });
  const lock = shared.lock("publish", openPublishLock(paths));
  const listArtifacts = () => artifactsInUse(db);
  const deps = { db, shared, repository, paths, clock, log, listArtifacts };
  try {
    if (to === "folder") {
      await assertNoFurtherSites(db);
      await assertNoOtherNodes(db, paths);
      const left = await lock.run(() => leaveStorage(deps), { waitMs: lockTimeoutMs });
      return { ...left, next: "Unset STORAGE_URL and restart this node." };
    }
    if (await isShared(db))
      throw new AppError("already_exists", "Everything is in the object store already.");
    const counts = await lock.run(() => storeEverything(deps), { waitMs: lockTimeoutMs });
    const next =
      "Set STORAGE_URL for all processes and restart: what has changed since follows then.";
    return { ...counts, next };
  } finally {
    lock.close();
    repository.close();
    await shared.close();
  }
}
