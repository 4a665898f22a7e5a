import { membersArtifacts } from "../features/members/build-store.ts";
import { currentRelease, openPublishLock } from "../features/release/current-symlink.ts";
import { unfinishedIntents } from "../features/release/store.ts";
import type { RunEvents } from "../features/runs/events.ts";
import { openStatuses } from "../features/runs/run-status.ts";
import { listArtifacts } from "../features/runs/store.ts";
import { becomeFirstNode } from "../features/storage/first-node.ts";
import { makeFollower } from "../features/storage/follow.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { Db } from "../platform/db/connect.ts";
import { notifyNodes } from "../platform/db/notifications.ts";
import type { Instance } from "./instance.ts";

/** What precedes the ID of a run with new events. */
const runPrefix = "run ";

/** Tells the other nodes about new events of runs; none if there are no other nodes. */
export function runTeller({
  database: { db },
  shared,
}: Instance): ((runId: string) => void) | undefined {
  if (shared === null) return undefined;
  // Other nodes look every second, in case they aren't told.
  return (runId) => void notifyNodes(db, runPrefix + runId).catch(() => {});
}

/** The artifacts that somebody may want to see or publish. */
export async function artifactsInUse(db: Db): Promise<string[]> {
  const [ofRuns, ofMembers, intents] = await Promise.all([
    listArtifacts(db, openStatuses),
    membersArtifacts(db),
    unfinishedIntents(db),
  ]);
  return [...new Set([...ofRuns, ...ofMembers, ...intents.map(({ artifact }) => artifact)])];
}

/** Stores what the first node has, at its first start with an object store. */
async function storeFirst(instance: Instance, repository: Repository): Promise<void> {
  const { config, database, clock, log, shared } = instance;
  if (shared === null) return;
  const { paths } = config;
  const { db } = database;
  const local = openPublishLock(paths);
  const lock = shared.lock("publish", local);
  try {
    const parts = { db, shared, repository, paths, clock, log };
    const deps = { ...parts, listArtifacts: () => artifactsInUse(db) };
    await lock.run(() => becomeFirstNode(deps), { waitMs: 10 * 60_000 });
  } finally {
    local.close();
  }
}

/**
 * Brings this node up to date with the others and keeps it so, if there may be others: its public site,
 * its files, and, with a repository, the site's source.
 */
export async function followNodes(
  instance: Instance,
  { repository, events }: { repository: Repository | null; events: RunEvents | null },
): Promise<{ close(): Promise<void> }> {
  const { config, database, log, shared } = instance;
  const { databaseUrl, paths } = config;
  if (shared === null || databaseUrl === null) return { async close() {} };
  if (repository) await storeFirst(instance, repository);
  const lock = openPublishLock(paths);
  const onMessage = (message: string) => {
    if (message.startsWith(runPrefix)) events?.hear(message.slice(runPrefix.length));
  };
  const follower = makeFollower({
    db: database.db,
    shared,
    databaseUrl,
    log,
    lock,
    repository,
    onLooked: async () => shared.followed.put((await currentRelease(paths)) ?? 0),
    onMessage,
  });
  await follower.start();
  return {
    async close() {
      await follower.close();
      // No publish waits for a node that was stopped; one that is lost counts for a while.
      await shared.followed.remove().catch(() => {});
    },
  };
}
