import { type Selectable, sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ImportState } from "./import-store.ts";

interface ImportTable {
  id: string;
  archive: string;
  state: ImportState;
  report: string;
  skipped: string;
  error: string | null;
  progress: string | null;
  holder: string | null;
  held_until: string | null;
  created_at: string;
}

type Tables = { stored_import: ImportTable };

export type ImportRow = Selectable<ImportTable>;

const tables = (db: Db) => db.withTables<Tables>();

/** Whether the process that imports a folder may be alive. */
const isHeld = (db: Db) => sql<boolean>`(state = 'running' and held_until >= ${databaseTime(db)})`;

/** Stores a planned upload in place of all others; false if one of these is being imported. */
export async function replaceImport(
  db: Db,
  upload: Pick<ImportRow, "id" | "archive" | "report" | "skipped">,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Two nodes that store one at the same time don't see each other's row.
    await sql`lock table stored_import in exclusive mode`.execute(transaction);
    await tables(transaction)
      .deleteFrom("stored_import")
      .where(({ not }) => not(isHeld(transaction)))
      .execute();
    const running = await tables(transaction).selectFrom("stored_import").select("id").execute();
    if (running.length > 0) return false;
    await tables(transaction)
      .insertInto("stored_import")
      .values({ ...upload, state: "planned", created_at: databaseTime(transaction) })
      .execute();
    return true;
  });
}

/** An upload, and whether the process that imports it has been silent for too long. */
export function findImport(
  db: Db,
  id: string,
): Promise<(ImportRow & { is_held: boolean | 0 | 1 }) | undefined> {
  return tables(db)
    .selectFrom("stored_import")
    .selectAll()
    .select(isHeld(db).as("is_held"))
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Whether a folder is being imported. */
export async function isImportRunning(db: Db): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("stored_import")
    .select("id")
    .where(isHeld(db))
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores another plan, unless the import was started. */
export async function updateImportPlan(
  db: Db,
  { id, report }: Pick<ImportRow, "id" | "report">,
): Promise<void> {
  await tables(db)
    .updateTable("stored_import")
    .set({ report })
    .where("id", "=", id)
    .where("state", "in", ["planned", "failed"])
    .execute();
}

/** Makes `holder` the one that imports a folder; false if it is being imported, was, or is gone. */
export async function beginImport(
  db: Db,
  {
    id,
    holder,
    progress,
    leaseMs,
  }: Record<"id" | "holder" | "progress", string> & {
    leaseMs: number;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_import")
    .set({
      state: "running",
      error: null,
      progress,
      holder,
      held_until: databaseTime(db, leaseMs),
    })
    .where("id", "=", id)
    .where("state", "<>", "done")
    .where(({ not }) => not(isHeld(db)))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Shows that `holder` is alive, with another step if one is given. */
export async function renewImport(
  db: Db,
  {
    id,
    holder,
    progress,
    leaseMs,
  }: Record<"id" | "holder", string> & {
    progress?: string;
    leaseMs: number;
  },
): Promise<void> {
  await tables(db)
    .updateTable("stored_import")
    .set({ held_until: databaseTime(db, leaseMs), ...(progress !== undefined && { progress }) })
    .where("id", "=", id)
    .where("holder", "=", holder)
    .where("state", "=", "running")
    .execute();
}

/** Ends the import of `holder`: with a report it is done, with an error it has failed. */
export async function endImport(
  db: Db,
  {
    id,
    holder,
    result,
  }: Record<"id" | "holder", string> & {
    result: { report: string } | { error: string };
  },
): Promise<void> {
  await tables(db)
    .updateTable("stored_import")
    .set({ ...result, state: "report" in result ? "done" : "failed", progress: null })
    .where("id", "=", id)
    .where("holder", "=", holder)
    .where("state", "=", "running")
    .execute();
}

/** Deletes an upload; false if it is being imported. */
export async function deleteImport(db: Db, id: string): Promise<boolean> {
  await tables(db)
    .deleteFrom("stored_import")
    .where("id", "=", id)
    .where(({ not }) => not(isHeld(db)))
    .execute();
  return (await findImport(db, id)) === undefined;
}
