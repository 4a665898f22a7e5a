import { join } from "node:path";
import type { SiteRegistry } from "../features/sites/registry.ts";
import type { SiteRemoval } from "../features/sites/node-records.ts";
import { removeEverything } from "../features/storage/remove-everything.ts";
import { AppError } from "../kit/errors.ts";
import type { Config } from "../platform/config.ts";
import { openDatabase } from "../platform/db/connect.ts";
import { inSchema } from "../platform/db/schema-address.ts";
import { openLock } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import { storageOf } from "../platform/site-place.ts";
import { openObjectStore } from "../platform/storage/object-store.ts";
import type { StorageSettings } from "../platform/storage/storage-url.ts";
import { repeat, type RepeatingTask } from "./repeat.ts";

export interface SiteRemovalsDependencies {
  config: Pick<Config, "paths">;
  registry: SiteRegistry;
  /** Those of the installation. */
  storage: StorageSettings;
  databaseUrl: string;
  log: Log;
  /** How often to look for removed sites, in ms; defaults to 10,000. */
  everyMs?: number;
}

/** How many objects of a site are removed at a time. */
const maxObjects = 20_000;

/** Removes what removed sites have left in the object store and in the database, one node at a time. */
export function openSiteRemovals(deps: SiteRemovalsDependencies): RepeatingTask {
  const { config, registry, storage, databaseUrl, log, everyMs = 10_000 } = deps;
  const { nodes } = registry;
  const closing = new AbortController();
  const lock = nodes.lock("removals", openLock(join(config.paths.data, "site-removals.lock")));

  async function removeOne(removal: SiteRemoval): Promise<void> {
    closing.signal.throwIfAborted();
    const { siteId: id, schema } = removal;
    const database = openDatabase({ url: inSchema(databaseUrl, schema), file: "" });
    const objects = openObjectStore(storageOf(storage, { id }) ?? storage);
    const { db } = database;
    let isDone = false;
    try {
      isDone = await removeEverything({ db, objects, limit: maxObjects, signal: closing.signal });
    } finally {
      await objects.close();
      await database.close();
    }
    if (!isDone) return;
    await nodes.finishRemoval(removal);
    log.info({ site: id }, "removed everything of a site from the object store");
  }

  async function work(): Promise<void> {
    if ((await nodes.listRemovals()).length === 0) return;
    await lock.run(
      async () => {
        const errors: unknown[] = [];
        for (const removal of await nodes.listRemovals()) {
          // Others don't wait for one that can't be removed now.
          await removeOne(removal).catch((error: unknown) => errors.push(error));
        }
        if (errors.length > 0) throw errors[0];
      },
      { waitMs: 0 },
    );
  }

  const task = repeat(work, {
    everyMs,
    onError(error) {
      if (closing.signal.aborted || (error instanceof AppError && error.code === "locked")) return;
      log.warn({ err: error }, "couldn't remove a site's objects; will try again");
    },
  });
  return {
    start: task.start,
    async close() {
      closing.abort();
      await task.close();
      lock.close();
    },
  };
}
