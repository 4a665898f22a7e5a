import type { DestinationStream } from "pino";
import type { LiveSettingsReader } from "../features/settings/live-settings.ts";
import { openSharedStorage, type SharedStorage } from "../features/storage/shared-storage.ts";
import { resolveMove } from "../features/database-move/resolve.ts";
import { assertNotMoving, readMoveState } from "../features/database-move/state.ts";
import { assertNotSwitching } from "../features/upgrade/commit.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { readActiveDatabase } from "../platform/active-database.ts";
import type { Config } from "../platform/config.ts";
import { type Database, openDatabase } from "../platform/db/connect.ts";
import { assertMigrated } from "../platform/db/migrate.ts";
import { openSharedLimits } from "../platform/db/shared-limits.ts";
import { createLog, type Log } from "../platform/log.ts";
import { type Keys, loadKeys } from "../platform/secrets.ts";
import { type OpenAttemptLimit, openLocalLimits } from "../platform/throttle.ts";
import { programVersion } from "../platform/version.ts";
import { makeWorkerPool, type WorkerPool } from "../platform/worker-pool.ts";
import { watchLiveSettings } from "./live-settings.ts";

/** What every long-lived process of an instance needs. */
export interface Instance {
  /** Its `owner` always has the current values. */
  config: Config;
  /** Cached site settings. */
  liveSettings: LiveSettingsReader;
  log: Log;
  clock: Clock;
  database: Database;
  /** What it shares with other nodes; null if it is on one disk. */
  shared: SharedStorage | null;
  keys: Keys;
  /** Counts attempts, on all nodes together if there may be several. */
  openLimit: OpenAttemptLimit;
  /** The program's own version. */
  version: string;
  /** Threads for work that would block the event loop. */
  workers: WorkerPool;
}

/**
 * Opens the keys and the database of an installed instance. Throws `unavailable` if a key is
 * missing or damaged, or the schema isn't this program's, `locked` while an upgrade replaces it or
 * its records are moved.
 */
export async function openStores(config: Config): Promise<{ keys: Keys; database: Database }> {
  const { paths } = config;
  const keys = await loadKeys(paths.keys);
  // What a killed move has left; otherwise, this database may refuse every write.
  if (readMoveState(paths) !== null) await resolveMove(paths);
  const database = openDatabase({ url: config.databaseUrl, file: paths.database });
  try {
    await assertNotSwitching(paths);
    assertNotMoving(paths, config);
    await assertMigrated(database);
    return { keys, database };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** How often a process looks whether its records were moved, in ms. */
const moveCheckMs = 5000;

/**
 * Ends this process when the records were moved while it had no connection open. That happens only
 * to one that no supervisor pauses; its service manager starts it again, with the new database.
 */
function endWhenMoved({ paths, moveId }: Config, log: Log): void {
  const timer = setInterval(() => {
    if ((readActiveDatabase(paths)?.moveId ?? null) === moveId) return;
    clearInterval(timer);
    log.warn("the records were moved to another database: ending, to be started again");
    process.kill(process.pid, "SIGTERM");
  }, moveCheckMs);
  timer.unref();
}

/**
 * Opens an installed instance for a process called `name`, which logs to `destination`; null: stderr.
 * Throws AppError `unavailable` for its keys or its database.
 */
export async function openInstance(
  config: Config,
  name: string,
  destination: DestinationStream | null,
): Promise<Instance> {
  const log = createLog({ level: config.logLevel, name, ...(destination && { destination }) });
  const version = programVersion();
  const stores = await openStores(config);
  endWhenMoved(config, log);
  const clock = systemClock;
  const followed = await watchLiveSettings({ ...stores, config, clock, log });
  const workers = makeWorkerPool();
  const shared = openSharedStorage(config, stores.database.db);
  const database: Database = {
    ...followed.database,
    async close() {
      await shared?.close();
      await followed.database.close();
    },
  };
  const { db } = database;
  const secret = stores.keys.runner;
  const openLimit = shared ? openSharedLimits({ db, clock, secret }) : openLocalLimits(clock);
  const own = { log, clock, version, workers, openLimit };
  return { ...own, keys: stores.keys, shared, ...followed, database };
}
