import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import type { Database } from "../../platform/db/connect.ts";
import { assertMigrated } from "../../platform/db/migrate.ts";
import { openLock } from "../../platform/lock.ts";
import { openSharedStorage, type SharedStorage } from "../storage/shared-storage.ts";
import {
  type BackupContent,
  type BackupOptions,
  inStaging,
  noteBackup,
  pack,
  withDatabase,
} from "./backup.ts";
import { takeSnapshot } from "./snapshot.ts";
import { findDatabaseTime, hasBackupSince, listBackups } from "./stored/store.ts";
import { deleteStoredBackup, storeBackup } from "./stored/stored-backups.ts";

export interface StoreBackupOptions extends BackupOptions {
  /** Makes a backup only if the last one in the store is older than this, in ms. */
  ifOlderThanMs: number | null;
  /** How much of the archive is in a part, in bytes; for tests. */
  partBytes?: number | undefined;
}

export interface StoredBackupResult extends BackupContent {
  /** Its name in the object store. */
  backup: string;
  /** The size of its archive. */
  size: number;
  /** Older backups that were removed. */
  removed: string[];
}

/** Without the database, a backup is found only below the installation's own prefix. */
export function notForSites(): AppError {
  const message =
    "The object store has backups of the installation's own site only. Back up further sites with `vitrine site export`.";
  return new AppError("bad_request", message);
}

/**
 * Opens the object store of an instance and its database. Throws `bad_request` if there is none or for a
 * further site, `unavailable` if the database has another schema.
 */
async function withStorage<T>(
  options: BackupOptions,
  work: (shared: SharedStorage, database: Database) => Promise<T>,
): Promise<T> {
  if (options.config.site !== null) throw notForSites();
  return withDatabase(options, async (database) => {
    const shared = openSharedStorage(options.config, database.db);
    if (shared === null) {
      const message = "Set STORAGE_URL, and DATABASE_URL for PostgreSQL, to name the object store.";
      throw new AppError("bad_request", message, { fields: { STORAGE_URL: "is missing" } });
    }
    try {
      await assertMigrated(database);
      return await work(shared, database);
    } finally {
      await shared.close();
    }
  });
}

/** Why no backup was made: the last one is recent enough, or is being made. */
export interface SkippedBackup {
  backup: null;
  reason: "recent" | "running";
}

/** Runs `work` while no other node makes a backup in the store; null if another one does. */
async function alone<T>(
  shared: SharedStorage,
  { config }: BackupOptions,
  work: () => Promise<T>,
): Promise<T | null> {
  const local = openLock(join(config.paths.data, "stored-backup.lock"));
  const lock = shared.lock("backup", local);
  let isStarted = false;
  const start = () => {
    isStarted = true;
    return work();
  };
  try {
    return await lock.run(start, { waitMs: 0 });
  } catch (error) {
    if (isStarted || !(error instanceof AppError) || error.code !== "locked") throw error;
    return null;
  } finally {
    lock.close();
  }
}

async function backUpNow(
  shared: SharedStorage,
  database: Database,
  options: StoreBackupOptions,
): Promise<StoredBackupResult> {
  const { config, version, signal, partBytes } = options;
  const { db } = database;
  const createdAt = await findDatabaseTime(db);
  return inStaging(options, async (staging) => {
    const snapshot = await takeSnapshot(staging, config, database);
    const stored = await storeBackup(
      { db, objects: shared.objects },
      {
        keysDir: config.paths.keys,
        version,
        createdAt,
        keep: config.limits.keep.backups,
        signal,
        partBytes,
        write: (stream) => pack(options, { staging, snapshot, createdAt }, { stream, end: true }),
      },
    );
    // A complete backup stays good if it can't be recorded.
    await noteBackup(options, createdAt, db).catch(() => {});
    const { name: backup, bytes: size, content, removed } = stored;
    return { backup, size, ...content, removed };
  });
}

/**
 * Backs up a running instance to its object store, encrypted with its settings key, and removes the oldest
 * backups beyond `limits.keep.backups`. With `ifOlderThanMs`, it may find that none is needed. It is a backup
 * only once it is complete; what a killed one leaves is removed by the next cleanup after a day. Throws
 * `locked` while any node makes one, and what `backUp` and `storeBackup` throw.
 */
export function backUpToStore(
  options: StoreBackupOptions,
): Promise<StoredBackupResult | SkippedBackup> {
  const { ifOlderThanMs } = options;
  return withStorage(options, async (shared, database) => {
    const done = await alone(shared, options, async () => {
      const isRecent = ifOlderThanMs !== null && (await hasBackupSince(database.db, ifOlderThanMs));
      if (isRecent) return { backup: null, reason: "recent" } as const;
      return backUpNow(shared, database, options);
    });
    if (done !== null) return done;
    if (ifOlderThanMs !== null) return { backup: null, reason: "running" };
    throw new AppError("locked", "Another backup of this instance is running.");
  });
}

/** A backup in the object store, as the database lists it. */
export interface ListedBackup {
  name: string;
  createdAt: string;
  /** The size of its archive. */
  size: number | null;
  files: number | null;
  release: number | null;
  version: string;
  /** The key of settings.key that is needed to restore it. */
  key: string;
}

/** The backups of an instance in its object store, newest first. */
export function listStored(options: BackupOptions): Promise<ListedBackup[]> {
  return withStorage(options, async (_, { db }) =>
    (await listBackups(db)).map((row) => ({
      name: row.name,
      createdAt: row.created_at,
      size: row.bytes,
      files: row.files,
      release: row.release_number,
      version: row.version,
      key: row.key_id,
    })),
  );
}

/** Deletes a backup of an instance from its object store. Throws `not_found`. */
export function deleteStored(options: BackupOptions, name: string): Promise<void> {
  return withStorage(options, ({ objects }, { db }) => deleteStoredBackup({ db, objects }, name));
}
