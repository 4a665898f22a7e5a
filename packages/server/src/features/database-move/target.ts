import { writeFile } from "node:fs/promises";
import { AppError } from "../../kit/errors.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import {
  addForeignKeys,
  checkForeignKeys,
  dropForeignKeys,
  enforceForeignKeys,
  listForeignKeys,
} from "../../platform/db/copy/foreign-keys.ts";
import { listTableNames } from "../../platform/db/copy/tables.ts";
import { isEmptyPostgres } from "../../platform/db/dump.ts";
import { readServer, updateStatistics } from "../../platform/db/server.ts";
import { createIncomplete, migrate } from "../../platform/db/migrate.ts";
import { readIncomplete, readMoved, writeIncomplete } from "../../platform/db/move-marks.ts";
import { exists } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { placeName } from "./address.ts";
import { setSqliteAside } from "./resolve.ts";

/** Where records can go: `left`: the SQLite file that an earlier move has left. */
export type TargetState = "empty" | "unfinished" | "left";

export interface Target {
  url: string | null;
  database: Database;
  /** Another connection to the same database, for reading while rows are written. */
  reading: Database;
  close(): Promise<void>;
}

function openTarget(paths: InstancePaths, url: string | null): Target {
  const address = { url, file: paths.database };
  const [database, reading] = [openDatabase(address), openDatabase(address)];
  return {
    url,
    database,
    reading,
    async close() {
      await database.close();
      await reading.close();
    },
  };
}

function notEmpty(url: string | null): AppError {
  const message = `${placeName({ url })} isn't empty. Nothing has changed. Use an empty database.`;
  return new AppError("conflict", message);
}

/** Throws if Vitrine can't work with this server as this user. */
async function assertUsable({ db }: Database, name: string): Promise<void> {
  const row = await readServer(db).catch((error: unknown) => {
    const reason = (error as Error).message || (error as NodeJS.ErrnoException).code;
    throw new AppError("unavailable", `${name} can't be reached: ${reason}.`);
  });
  if (row.encoding !== "UTF8") {
    const message = `${name} has the encoding ${row.encoding}. Create it with the encoding UTF8.`;
    throw new AppError("unavailable", message);
  }
  if (row.isReadOnly) throw new AppError("unavailable", `${name} is read-only.`);
  if (row.canCreate) return;
  const message = `The user ${row.user} may not create tables in ${name}. Make it the database's owner: ALTER DATABASE … OWNER TO ${row.user}.`;
  throw new AppError("forbidden", message);
}

/** What a target contains. Throws `conflict` unless it is empty or this instance's. */
async function inspect({ database, url }: Target, instance: string): Promise<TargetState> {
  const { db, dialect } = database;
  const mark = await readIncomplete(db);
  if (mark !== null) {
    if (mark.instance === instance) return "unfinished";
    const message = `${placeName({ url })} contains an unfinished move of another instance. Use an empty database.`;
    throw new AppError("conflict", message);
  }
  if (dialect === "postgres") {
    if (await isEmptyPostgres(db, url ?? "")) return "empty";
    if ((await readMoved(db)) === null) throw notEmpty(url);
    const message = `${placeName({ url })} contains what an earlier move has left. Use an empty database.`;
    throw new AppError("conflict", message);
  }
  if ((await listTableNames(database)).length === 0) return "empty";
  if ((await readMoved(db)) !== null) return "left";
  throw notEmpty(url);
}

/**
 * Opens the database that records are to go to, and calls `work` with what it contains. Changes
 * nothing. Throws `unavailable` if it can't be reached or used, `forbidden` without the right to
 * create tables, `conflict` if it isn't empty.
 */
export async function withTarget<T>(
  paths: InstancePaths,
  { url, instance }: { url: string | null; instance: string },
  work: (target: Target, state: TargetState) => Promise<T>,
): Promise<T> {
  // Opening would create the file.
  if (url === null && !(await exists(paths.database))) {
    return withOpen(openTarget({ ...paths, database: ":memory:" }, url), (target) =>
      work(target, "empty"),
    );
  }
  return withOpen(openTarget(paths, url), async (target) => {
    if (url !== null) await assertUsable(target.database, placeName({ url }));
    return work(target, await inspect(target, instance));
  });
}

async function withOpen<T>(target: Target, work: (target: Target) => Promise<T>): Promise<T> {
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

/** Gives the target this program's schema, marked as incomplete, without foreign keys. */
async function prepare(
  { database }: Target,
  { instance, moveId, now }: { instance: string; moveId: string; now: number },
): Promise<void> {
  const known = await readIncomplete(database.db);
  const foreignKeys = known?.foreignKeys ?? [];
  if (known === null) await createIncomplete(database, { instance, moveId, foreignKeys });
  await migrate({ database, now, isIncomplete: true });
  if (database.dialect === "sqlite") {
    await writeIncomplete(database.db, { instance, moveId, foreignKeys });
    return enforceForeignKeys(database, false);
  }
  await database.db.transaction().execute(async (db) => {
    const dropped = await listForeignKeys(db);
    const all = [
      ...foreignKeys.filter((one) => !dropped.some(({ name }) => name === one.name)),
      ...dropped,
    ];
    await writeIncomplete(db, { instance, moveId, foreignKeys: all });
    await dropForeignKeys(db, dropped);
  });
}

/** Opens the target to fill it. The same as `withTarget`, and then gives it the schema. */
export async function withPreparedTarget<T>(
  paths: InstancePaths,
  options: { url: string | null; instance: string; moveId: string; now: number },
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const { url } = options;
  const state = await withTarget(paths, options, async (_, found) => found);
  if (state === "left" && (await setSqliteAside(paths)) === paths.database) {
    throw new AppError("in_use", "Another process uses data/vitrine.db. End it and try again.");
  }
  // Its log gets the rights that the file has.
  if (url === null) await writeFile(paths.database, "", { flag: "a", mode: 0o600 });
  return withOpen(openTarget(paths, url), async (target) => {
    await prepare(target, options);
    return work(target);
  });
}

/** Gives a filled target what was left out to fill it, which checks that all rows fit together. */
export async function completeTarget({ database }: Target): Promise<void> {
  const { db, dialect } = database;
  if (dialect === "sqlite") {
    await checkForeignKeys(database);
    await enforceForeignKeys(database, true);
    return;
  }
  const mark = await readIncomplete(db);
  await db
    .transaction()
    .execute((transaction) => addForeignKeys(transaction, mark?.foreignKeys ?? []));
  // Otherwise, the first queries are planned as if the tables were empty.
  await updateStatistics(db);
}
