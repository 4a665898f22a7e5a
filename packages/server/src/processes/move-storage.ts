import { join } from "node:path";
import { openPublishLock } from "../features/release/current-symlink.ts";
import { listRunners, silentAfterMs } from "../features/runs/runners/store.ts";
import { storeEverything } from "../features/storage/first-node.ts";
import { collectEverything, leaveStorage } from "../features/storage/leave-storage.ts";
import { openSharedStorage } from "../features/storage/shared-storage.ts";
import { isShared } from "../features/storage/store.ts";
import { hasFurtherSites, hasSiteRemovals } from "../features/sites/copy-store.ts";
import { makeRepository } from "../features/workspace/git.ts";
import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import type { OpenedInstance } from "../platform/cli.ts";
import type { Environment } from "../platform/config.ts";
import type { Db } from "../platform/db/connect.ts";
import { lockState } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import type { InstancePaths } from "../platform/paths.ts";
import { artifactsInUse } from "./follow-nodes.ts";
import { openLeavingSites, type OwnSite } from "./leave-sites.ts";
import { openRegistryOf } from "./site-registry.ts";

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
 * Throws `invalid_state` if removed sites have objects in the object store, which nobody would remove
 * afterwards.
 */
export async function assertNoSiteRemovals(db: Db): Promise<void> {
  if (!(await hasSiteRemovals(db))) return;
  const message =
    "Removed sites still have objects in the object store. A running node removes them: wait, and run this again.";
  throw new AppError("invalid_state", message);
}

/** Has everything in the folder of this node, with that of further sites, and ends the sharing. */
async function moveToFolder(
  { config, database: { db } }: OpenedInstance,
  { env, clock, log }: MoveStorageDependencies,
  { leave: leaveOwn, ...own }: OwnSite & { leave(): Promise<object> },
): Promise<object> {
  const next = "Unset STORAGE_URL and restart this node.";
  await assertNoSiteRemovals(db);
  await own.assertAlone();
  if (!(await hasFurtherSites(db))) return { ...(await leaveOwn()), next };
  const registry = await openRegistryOf(config, clock);
  try {
    const sites = openLeavingSites({ config, env, registry, clock, log, own });
    const furtherSites = await sites.collect();
    const left = await sites.leave(leaveOwn);
    return { ...left, furtherSites, next };
  } finally {
    await registry.close();
  }
}

export interface MoveStorageDependencies {
  env: Environment;
  clock: Clock;
  log: Log;
}

/** Implements `vitrine migrate-storage`. */
export async function moveStorage(
  opened: OpenedInstance,
  to: "store" | "folder",
  own: MoveStorageDependencies,
): Promise<object> {
  const { config, database } = opened;
  const { db } = database;
  const { clock, log } = own;
  const { paths } = config;
  if (config.site !== null) {
    const message = "Further sites move with the installation. Run this without --site.";
    throw new AppError("bad_request", message);
  }
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
      const assertAlone = () => assertNoOtherNodes(db, paths);
      const alone = <T>(work: () => Promise<T>) => lock.run(work, { waitMs: lockTimeoutMs });
      return await moveToFolder(opened, own, {
        collect: () => alone(() => collectEverything(deps)),
        assertAlone,
        leave: () => alone(() => leaveStorage(deps, assertAlone)),
      });
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
