import { rmSync } from "node:fs";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Config } from "../../platform/config.ts";
import { type Database, type Db, openDatabase } from "../../platform/db/connect.ts";
import { assertNotMarked } from "../../platform/db/move-marks.ts";
import { writeLastBackup } from "../../platform/last-backup.ts";
import { acquireLock } from "../../platform/lock.ts";
import { listEntries, writeArchive } from "./archive.ts";
import { type BackupHead, backupFormat } from "./manifest.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import type { Staging } from "./staging.ts";
import { readAppliedMigrations } from "./store.ts";
import { findDatabaseTime, noteLastBackup } from "./stored/store.ts";
import { openTarget } from "./target.ts";

export interface BackupOptions {
  config: Config;
  version: string;
  clock: Clock;
  signal: AbortSignal;
  onProgress(line: string): void;
}

export interface FileBackupOptions extends BackupOptions {
  /** The target: a file, a folder, "" for the current folder, or a stream. */
  to: string | Writable;
  /** Whether to replace an existing file. */
  force: boolean;
}

/** What was backed up. */
export interface BackupContent {
  createdAt: string;
  database: BackupHead["database"];
  release: number | null;
  files: number;
  /** The size of all files before compression. */
  bytes: number;
  /** Runs that are neither published nor discarded; their files aren't included. */
  openRuns: number;
  /** Links and other entries that backups don't include. */
  skippedFiles: string[];
}

export interface BackupResult extends BackupContent {
  /** Null for a stream. */
  file: string | null;
  /** The size of the file; null for a stream. */
  size: number | null;
}

const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);

/** vitrine-example.org-2026-11-22T153000Z.tar.gz */
function nameAt({ baseUrl }: Config, createdAt: string): string {
  const host = new URL(baseUrl).hostname.replace(/[^A-Za-z0-9.-]/g, "") || "site";
  const at = createdAt.replace(/\.\d+Z$/, "Z").replaceAll(":", "");
  return `vitrine-${host}-${at}.tar.gz`;
}

/** Synchronously, which is much faster for thousands of small files; nothing else runs then. */
function removeStaging(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** Runs `work` in a separate folder, as the only backup of this instance. */
export async function inStaging<T>(
  { config, signal }: BackupOptions,
  work: (staging: Staging) => Promise<T>,
): Promise<T> {
  const { data } = config.paths;
  const lock = acquireLock(join(data, "backup.lock"));
  if (lock === null) throw new AppError("locked", "Another backup of this instance is running.");
  const dir = join(data, "backup");
  try {
    // A killed backup leaves its folder.
    removeStaging(dir);
    await mkdir(dir, { mode: 0o700 });
    return await work({ dir, skippedFiles: [], signal });
  } finally {
    removeStaging(dir);
    lock.release();
  }
}

/** Opens the instance's database for a backup. */
export async function withDatabase<T>(
  { config, onProgress }: BackupOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl: url, paths } = config;
  const database = openDatabase({ url, file: paths.database });
  try {
    onProgress("Checking the instance");
    await readAppliedMigrations(database.db).catch((cause: unknown) => {
      throw new AppError("unavailable", "The database can't be read.", { cause });
    });
    await assertNotMarked(database);
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * When a backup begins. Nodes go by the clock of their database: one whose own clock is ahead would otherwise
 * have the newest backup for as long.
 */
async function findTime({ config, clock }: BackupOptions): Promise<string> {
  const { storage, databaseUrl: url, paths } = config;
  if (storage === null || url === null) return isoTime(clock.now());
  const database = openDatabase({ url, file: paths.database });
  try {
    return await findDatabaseTime(database.db);
  } catch (cause) {
    throw new AppError("unavailable", "The database can't be read.", { cause });
  } finally {
    await database.close();
  }
}

/** Says when the last backup was made: this node, and the other ones. */
export async function noteBackup(
  { config }: BackupOptions,
  createdAt: string,
  db: Db | null,
): Promise<void> {
  await writeLastBackup(config.paths.data, createdAt);
  if (config.storage === null) return;
  if (db !== null) return noteLastBackup(db, createdAt);
  const database = openDatabase({ url: config.databaseUrl, file: config.paths.database });
  await noteLastBackup(database.db, createdAt).finally(() => database.close());
}

/** Writes an archive of what was collected to a stream. */
export async function pack(
  options: BackupOptions,
  { staging, snapshot, createdAt }: { staging: Staging; snapshot: Snapshot; createdAt: string },
  sink: { stream: Writable; end: boolean },
): Promise<BackupContent> {
  const { version, signal, onProgress } = options;
  const { database, migrations, release, openRuns } = snapshot;
  const entries = await listEntries(staging.dir);
  const sizes = entries.flatMap(({ bytes }) => bytes ?? []);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const stand = { createdAt, database, migrations, release, files: sizes.length, bytes: total };
  const head: BackupHead = { vitrine: "backup", format: backupFormat, version, ...stand };
  let written = 0;
  let reportedAt = 0;
  const onFile = (bytes: number) => {
    written += bytes;
    const tenth = Math.floor((10 * written) / Math.max(1, total));
    if (tenth > reportedAt) onProgress(`${mebibytes(written)} of ${mebibytes(total)} MiB`);
    reportedAt = tenth;
  };
  const parts = { dir: staging.dir, entries, head, sink: sink.stream, end: sink.end };
  await writeArchive({ ...parts, signal, onFile });
  const { skippedFiles } = staging;
  return {
    createdAt,
    database,
    release,
    files: sizes.length,
    bytes: total,
    openRuns,
    skippedFiles,
  };
}

function readerHasExited(cause: unknown): never {
  if ((cause as NodeJS.ErrnoException).code !== "EPIPE") throw cause;
  throw new AppError("upstream_failed", "The program reading stdout has exited.", { cause });
}

/**
 * Backs up a running instance into one file. The file exists only once it is complete; a killed
 * backup leaves `FILE.part` and `data/backup`, which the next one removes. Throws `already_exists`,
 * `not_found`, and `bad_request` for the target, `locked` if another backup or a publish takes too
 * long, `unavailable` and `upstream_failed` for pg_dump, `disk_full`.
 */
export async function backUp(options: FileBackupOptions): Promise<BackupResult> {
  const { config, to, force } = options;
  const { paths } = config;
  const createdAt = await findTime(options);
  const defaultName = nameAt(config, createdAt);
  const target =
    typeof to === "string" ? await openTarget(to, { defaultName, force, paths }) : null;
  return inStaging(options, async (staging) => {
    const snapshot = await withDatabase(options, (database) =>
      takeSnapshot(staging, config, database),
    );
    const stand = { staging, snapshot, createdAt };
    const packTo = (stream: Writable, end: boolean) => pack(options, stand, { stream, end });
    const packed =
      target === null
        ? await packTo(to as Writable, false).catch(readerHasExited)
        : await target.write((stream) => packTo(stream, true));
    // A backup that is made stays good if nobody can note it.
    await noteBackup(options, createdAt, null).catch(() => {});
    const size = target === null ? null : (await lstat(target.path)).size;
    return { file: target?.path ?? null, size, ...packed };
  });
}
