import { currentRelease } from "../features/release/current-symlink.ts";
import type { SiteRegistry } from "../features/sites/registry.ts";
import { newestReleases } from "../features/storage/release-store.ts";
import { changeMessage } from "../features/storage/shared-storage.ts";
import type { Config } from "../platform/config.ts";
import { type Db, openDatabase } from "../platform/db/connect.ts";
import { listenToSchemas, type Notifications } from "../platform/db/notifications.ts";
import { siteSchema } from "../platform/db/schema-address.ts";
import type { Log } from "../platform/log.ts";
import { makeCoalescedWork, makeFailureLog, makeSiteWork } from "./shared-site-work.ts";
import type { SiteCopies } from "./site-copies.ts";
import { copyPaths } from "./site-copy-files.ts";

/** How often to check for releases without a notification, in ms: with many copies, less often. */
const minPollMs = 2000;
const pollMsPerCopy = 10;
/** Of how many sites releases are fetched at once. */
const maxConcurrent = 4;

export interface ReleaseFollowerDependencies {
  /** That of the installation. */
  config: Config;
  registry: SiteRegistry;
  log: Log;
  /** The sites that have processes here, which follow other nodes themselves. */
  listAwake(): string[];
  databaseUrl: string;
  copies: SiteCopies;
  /** The sites that have copies here. */
  known: Set<string>;
}

/** Those of the sites that sleep here and whose live release is another one. */
async function listBehind(
  { config, known, listAwake }: ReleaseFollowerDependencies,
  db: Db,
  ids: Iterable<string>,
): Promise<string[]> {
  const awake = new Set(listAwake());
  const asleep = [...ids].filter((id) => known.has(id) && !awake.has(id));
  const newest = await newestReleases(db, asleep.map(siteSchema));
  const behind: string[] = [];
  for (const id of asleep) {
    const release = newest.get(siteSchema(id));
    const here = await currentRelease(copyPaths(config.paths.sites, id));
    if (release !== undefined && release !== here) behind.push(id);
  }
  return behind;
}

/** Has the live releases of all copies here, soon after another node has published them. */
export function makeReleaseFollower(deps: ReleaseFollowerDependencies) {
  const { registry, copies, known, log, databaseUrl: url } = deps;
  const database = openDatabase({ url, file: "" });
  const failures = makeFailureLog(log);
  let isClosed = false;
  let listener: Notifications | null = null;
  let timer: NodeJS.Timeout | undefined;
  let polling = Promise.resolve();

  const followOne = makeSiteWork(async (id) => {
    try {
      if ((await registry.findRouteById(id))?.status !== "active") return;
      if (await copies.ensure(id)) await registry.restart(id);
      await copies.follow(id);
      failures.clear(id);
    } catch (error) {
      throw failures.add(id, error);
    }
  });

  async function follow(id: string): Promise<void> {
    // What was being followed already may have begun before the newest release.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if ((await listBehind(deps, database.db, [id])).length === 0) return;
      await followOne(id);
    }
  }

  const soon = makeCoalescedWork(follow, maxConcurrent);

  async function poll(): Promise<void> {
    try {
      for (const id of await listBehind(deps, database.db, known)) soon.want(id);
    } catch (error) {
      log.error({ err: error }, "the releases of further sites can't be looked up");
    }
  }

  function pollAfter(ms: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => {
      polling = poll().finally(() => pollAfter(Math.max(minPollMs, known.size * pollMsPerCopy)));
    }, ms);
  }

  return {
    follow,
    start() {
      listener = listenToSchemas({ url, log }, (schema, message, own) => {
        // Something may have been told before.
        if (schema === own && message === "") pollAfter(0);
        if (message !== changeMessage) return;
        for (const id of known) if (siteSchema(id) === schema) soon.want(id);
      });
      pollAfter(minPollMs);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await listener?.close();
      await polling;
      await soon.close();
      await database.close();
    },
  };
}
