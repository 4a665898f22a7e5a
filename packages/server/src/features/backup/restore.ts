import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import { type Environment, loadConfig } from "../../platform/config.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { listTableNames } from "../../platform/db/copy/tables.ts";
import { databaseLocation } from "../../platform/db/dump.ts";
import { migrate, readMigrations } from "../../platform/db/migrate.ts";
import { thawDatabase } from "../../platform/db/move-marks.ts";
import { exists, fsyncFolder, undefinedIfMissing, removeTree } from "../../platform/files.ts";
import { instancePaths, platformRoot } from "../../platform/paths.ts";
import { loadKeys } from "../../platform/secrets.ts";
import { makeDurable } from "../release/artifact/content-store.ts";
import { requestRebuild } from "../release/rebuild-requests.ts";
import { listEntries } from "./archive.ts";
import { type BackupHead, damagedBackupError, type ListedFile, names } from "./manifest.ts";
import { resetRepository } from "./reset-repository.ts";
import { withRestoreFolder, type RestoreFolder } from "./restore-folder.ts";
import { assertDatabase, type CopyRecords, fillPostgres, hasLevel } from "./restore-postgres.ts";
import { deleteHostState, isIntactSqlite } from "./store.ts";
import { type BackupSource, unpack } from "./unpack.ts";

const sqliteFile = "data/vitrine.db";

export interface RestoreOptions {
  file: BackupSource;
  /** The folder that becomes the instance. */
  dir: string;
  /** The empty PostgreSQL database that gets the records; null for SQLite. */
  databaseUrl: string | null;
  /** What to do with a backup of PostgreSQL if there is none; a sentence. */
  postgresAdvice?: string;
  env: Environment;
  clock: Clock;
  signal: AbortSignal;
  onProgress(line: string): void;
  /** Copies the records of a SQLite backup into PostgreSQL; without it, that is refused. */
  copyRecords?: CopyRecords;
  /** Called with the unpacked instance before it is checked, to make it fit where it is restored. */
  adapt?(tree: string, head: BackupHead): Promise<void>;
}

export interface RestoreResult {
  dir: string;
  /** When the backup was created, and by which version. */
  createdAt: string;
  version: string;
  /** Where the records are now. */
  database: BackupHead["database"];
  /** The live release; null if the first start has to build one. */
  release: number | null;
  files: number;
  /** The migrations that were applied to the restored database. */
  migrated: string[];
}

const restoreAdvice =
  "Name an empty database with DATABASE_URL or --database-url-stdin. To have it in SQLite, run `vitrine migrate-database --to sqlite --yes` afterwards.";

/** Throws for backups that this program can't restore, before anything is written. */
async function assertFits(
  head: BackupHead,
  { databaseUrl, copyRecords, postgresAdvice = restoreAdvice }: RestoreOptions,
): Promise<void> {
  const { database, migrations } = head;
  if (database === "postgres" && databaseUrl === null) {
    const message = `The backup is from an instance with PostgreSQL. ${postgresAdvice}`;
    throw new AppError("bad_request", message);
  }
  if (database === "sqlite" && databaseUrl !== null && copyRecords === undefined) {
    const message = "The backup is from an instance with SQLite. Restore it without PostgreSQL.";
    throw new AppError("bad_request", message);
  }
  const known = await readMigrations(join(platformRoot, "packages/server/database"), database);
  const newer = migrations.find(({ name }) => !known.some((each) => each.name === name));
  if (newer === undefined) return;
  const message = `The backup is newer than this program: its database has migration ${newer.name}. Update Vitrine.`;
  throw new AppError("unavailable", message);
}

/** Adds the folders and the `current` link of an instance. */
async function completeTree(tree: string, { release }: BackupHead): Promise<void> {
  const paths = instancePaths(tree);
  const { workspaces, artifacts, releases, uploads, builders } = paths;
  for (const dir of [workspaces, artifacts, releases, uploads, builders]) {
    await mkdir(dir, { recursive: true });
  }
  await chmod(paths.keys, 0o700);
  if (release === null) return;
  if (!(await exists(join(releases, `${release}.json`))))
    throw damagedBackupError("its live release is missing");
  await symlink(`releases/${release}`, paths.current);
}

/** Throws if the program couldn't start with the content of the backup. */
async function assertUsable(
  tree: string,
  { env, databaseUrl }: RestoreOptions,
  head: BackupHead,
): Promise<void> {
  const paths = instancePaths(tree);
  const needed = ["vitrine.json", "content/.git/HEAD", "data/install.lock"];
  needed.push(head.database === "sqlite" ? sqliteFile : names.dump);
  for (const path of needed)
    if (!(await exists(join(tree, path)))) throw damagedBackupError(`it has no ${path}`);
  loadConfig({ ...env, VITRINE_DIR: tree, DATABASE_URL: databaseUrl ?? "" });
  await loadKeys(paths.keys);
}

/** Migrates a restored database to this program's schema. Returns the applied migrations. */
async function migrateRestored(
  database: Database,
  head: BackupHead,
  { clock }: RestoreOptions,
): Promise<string[]> {
  if (!(await hasLevel(database, head)))
    throw damagedBackupError("its database doesn't match its description");
  // One that was made while the records were moved accepts no writes.
  await thawDatabase(database, await listTableNames(database), null);
  const { applied } = await migrate({ database, now: clock.now() });
  await deleteHostState(database.db);
  // Nothing is served without a release.
  if (head.release === null) {
    await requestRebuild(database.db, { reason: "Restored from a backup", now: clock.now() });
  }
  return applied;
}

function openSqlite(file: string): Database {
  try {
    return openDatabase({ url: null, file });
  } catch (cause) {
    throw damagedBackupError("its database can't be opened", cause);
  }
}

async function takeSqlite(
  tree: string,
  head: BackupHead,
  options: RestoreOptions,
): Promise<string[]> {
  const database = openSqlite(instancePaths(tree).database);
  try {
    const isSound = await isIntactSqlite(database.db).catch(() => false);
    if (!isSound) throw damagedBackupError("its database is damaged");
    return await migrateRestored(database, head, options);
  } finally {
    await database.close();
  }
}

async function durable(tree: string): Promise<void> {
  const entries = await listEntries(tree);
  const files = entries.filter(({ bytes }) => bytes !== undefined);
  const how = await makeDurable(
    files.filter(({ path }) => path !== "data/current").map(({ path }) => join(tree, path)),
  );
  if (how === "everything") return;
  const folders = entries.filter(({ bytes }) => bytes === undefined);
  await mapConcurrently(folders, 8, ({ path }) => fsyncFolder(join(tree, path)));
  await fsyncFolder(tree);
}

/** The address of the database as the restored instance will use it: a site has a schema of its own. */
function ownDatabaseUrl(tree: string, { env, databaseUrl }: RestoreOptions): string | null {
  const given = { ...env, VITRINE_DIR: tree, DATABASE_URL: databaseUrl ?? "" };
  return loadConfig(given).databaseUrl;
}

/** The last steps: PostgreSQL, if used, and the moves. */
async function finishRestore(
  restoreFolder: RestoreFolder,
  options: RestoreOptions,
  {
    head,
    files,
    answer: response,
  }: { head: BackupHead; files: ListedFile[]; answer: RestoreResult },
): Promise<RestoreResult> {
  const { databaseUrl, onProgress } = options;
  if (databaseUrl === null) {
    await restoreFolder.writeMarker({ database: null, dump: null, answer: response });
    await restoreFolder.finish();
    return response;
  }
  const source = head.database === "sqlite" ? sqliteFile : names.dump;
  const dump = files.find(({ path }) => path === source)?.sha256 ?? null;
  const marker = { database: databaseLocation(databaseUrl), dump, answer: response };
  const file = join(restoreFolder.tree, source);
  const database = openDatabase({ url: databaseUrl, file: "" });
  try {
    onProgress("Filling the database");
    await fillPostgres({ ...options, databaseUrl, database, restoreFolder, marker, file, head });
    // The records of SQLite were migrated before they were copied.
    if (head.database === "postgres")
      response.migrated = await migrateRestored(database, head, options);
  } finally {
    await database.close();
  }
  await restoreFolder.writeMarker(marker);
  for (const end of ["", "-wal", "-shm"]) await removeTree(`${file}${end}`);
  await restoreFolder.finish();
  return response;
}

/** Throws before a folder is created. */
async function findSource({ file }: RestoreOptions): Promise<BackupSource> {
  if (typeof file !== "string") return file;
  const path = resolve(file);
  if ((await undefinedIfMissing(stat(path)))?.isFile() === true) return path;
  throw new AppError("not_found", `The file ${path} doesn't exist.`);
}

/**
 * Restores an instance from a backup; everything is verified before anything is put in place. If it
 * is killed, nothing is left that would start, and another call restores everything. Throws
 * `already_exists` if the folder isn't empty, `conflict` if the database isn't, `bad_request` if
 * a database is missing, `unavailable` for a backup of a newer program, and the errors of
 * unpack, pg_restore, and the configuration.
 */
export async function restore(options: RestoreOptions): Promise<RestoreResult> {
  const { signal, onProgress } = options;
  const source = await findSource(options);
  const dir = resolve(options.dir);
  return withRestoreFolder(dir, async (restoreFolder) => {
    const { tree } = restoreFolder;
    onProgress("Unpacking");
    const onHead = async (head: BackupHead) => {
      await assertFits(head, options);
      await assertDatabase(options.databaseUrl, restoreFolder.before);
    };
    const { head, files } = await unpack({ source, dir: tree, signal, onHead });
    onProgress("Checking the backup");
    await completeTree(tree, head);
    await options.adapt?.(tree, head);
    await assertUsable(tree, options, head);
    await resetRepository(instancePaths(tree));
    const migrated = head.database === "sqlite" ? await takeSqlite(tree, head, options) : [];
    await durable(tree);
    signal.throwIfAborted();
    const { createdAt, version, release } = head;
    const database = options.databaseUrl === null ? "sqlite" : "postgres";
    const response: RestoreResult = {
      dir,
      createdAt,
      version,
      database,
      release,
      files: files.length,
      migrated,
    };
    const own = { ...options, databaseUrl: ownDatabaseUrl(tree, options) };
    return finishRestore(restoreFolder, own, { head, files, answer: response });
  });
}
