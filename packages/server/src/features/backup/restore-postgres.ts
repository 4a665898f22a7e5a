import { AppError } from "../../kit/errors.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { databaseLocation, isEmptyPostgres, restorePostgres } from "../../platform/db/dump.ts";
import { readIncomplete } from "../../platform/db/move-marks.ts";
import type { BackupHead } from "./manifest.ts";
import type { RestoreFolder, RestoreMarker } from "./restore-folder.ts";
import { readAppliedMigrations } from "./store.ts";

/**
 * Copies the records of a SQLite file into an empty PostgreSQL database, and verifies them. The database says
 * that it is incomplete until then; another call with the same `instance` continues.
 */
export type CopyRecords = (options: {
  file: string;
  url: string;
  instance: string;
  signal: AbortSignal;
  onProgress(line: string): void;
}) => Promise<void>;

/** Whether a database has exactly these migrations with these times, and possibly later ones. */
export async function hasLevel({ db }: Database, { migrations }: BackupHead): Promise<boolean> {
  const level = await readAppliedMigrations(db).catch(() => []);
  const has = ({ name, appliedAt }: BackupHead["migrations"][number]) =>
    level.some((each) => each.name === name && each.appliedAt === appliedAt);
  return migrations.length > 0 && migrations.every(has);
}

function notEmpty(): AppError {
  const message = "The database isn't empty. Restore the backup into an empty one.";
  return new AppError("conflict", message);
}

/** Checks PostgreSQL before anything is unpacked: it may be unreachable or in use. */
export async function assertDatabase(
  databaseUrl: string | null,
  before: RestoreMarker | null,
): Promise<void> {
  if (databaseUrl === null) return;
  const database = openDatabase({ url: databaseUrl, file: "" });
  try {
    const isEmpty = await isEmptyPostgres(database.db, databaseUrl).catch((cause: unknown) => {
      throw new AppError("unavailable", "The database can't be reached.", { cause });
    });
    if (!isEmpty && before?.database !== databaseLocation(databaseUrl)) throw notEmpty();
  } finally {
    await database.close();
  }
}

export interface FillOptions {
  databaseUrl: string;
  database: Database;
  restoreFolder: RestoreFolder;
  marker: RestoreMarker;
  /** The dump, or the SQLite file. */
  file: string;
  head: BackupHead;
  signal: AbortSignal;
  onProgress(line: string): void;
  copyRecords?: CopyRecords;
}

/** Copies the records of SQLite into a database that is empty, or that a killed restore was filling. */
async function fillFromSqlite(options: FillOptions): Promise<void> {
  const { databaseUrl: url, restoreFolder, marker, file, signal, onProgress } = options;
  await restoreFolder.writeMarker(marker);
  const instance = `backup ${marker.dump}`;
  await options.copyRecords?.({ file, url, instance, signal, onProgress });
}

/** Restores the records into an empty database, or continues with one that a killed restore has filled. */
export async function fillPostgres(options: FillOptions): Promise<void> {
  const { databaseUrl: url, database, restoreFolder, marker, file, head, signal } = options;
  const { before } = restoreFolder;
  const isSame = before?.database === marker.database && before.dump === marker.dump;
  if (!(await isEmptyPostgres(database.db, url))) {
    const isIncomplete = (await readIncomplete(database.db)) !== null;
    if (isSame && isIncomplete && head.database === "sqlite") return fillFromSqlite(options);
    // The killed restore checked that it was empty, and filled it completely.
    if (isSame && !isIncomplete && (await hasLevel(database, head))) return undefined;
    throw notEmpty();
  }
  if (head.database === "sqlite") return fillFromSqlite(options);
  await restoreFolder.writeMarker(marker);
  try {
    await restorePostgres(url, file, signal);
  } catch (error) {
    if (await isEmptyPostgres(database.db, url).catch(() => false))
      await restoreFolder.removeMarker();
    throw error;
  }
  return undefined;
}
