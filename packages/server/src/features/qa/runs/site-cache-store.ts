import { type Generated, sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

interface CacheRow {
  id: string;
  /** JSON. */
  metadata: string;
}

type CacheTables = {
  qa_resource: CacheRow & { missed_runs: Generated<number> };
  qa_external: CacheRow;
  qa_site: { id: number; metadata: string };
};

export type CacheTable = "qa_resource" | "qa_external";

const atOnce = 1000;

function tables(db: Db) {
  return db.withTables<CacheTables>();
}

/** Stored entries as JSON by ID, without those that the last runs have missed. */
export async function listCached(db: Db, table: CacheTable): Promise<Map<string, string>> {
  const query = tables(db).selectFrom(table).select(["id", "metadata"]).orderBy("id");
  const there = table === "qa_resource" ? query.where(sql.ref("missed_runs"), "=", 0) : query;
  return new Map((await there.execute()).map(({ id, metadata }) => [id, metadata]));
}

/** Pages missed by the last complete runs: how often, and their data (JSON), by ID. */
export async function listMissedPages(
  db: Db,
): Promise<Map<string, { metadata: string; missed: number }>> {
  const query = tables(db).selectFrom("qa_resource").selectAll().where("missed_runs", ">", 0);
  return new Map(
    (await query.execute()).map((row) => [
      row.id,
      { metadata: row.metadata, missed: row.missed_runs },
    ]),
  );
}

export async function markMissed(trx: Db, ids: readonly string[], missed: 1 | 2): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    await tables(trx)
      .updateTable("qa_resource")
      .set({ missed_runs: missed })
      .where("id", "in", ids.slice(from, from + atOnce))
      .execute();
  }
}

export async function upsertCached(
  trx: Db,
  table: CacheTable,
  rows: readonly CacheRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += atOnce) {
    await tables(trx)
      .insertInto(table)
      .values(rows.slice(from, from + atOnce))
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet({
          metadata: sql.ref("excluded.metadata"),
          ...(table === "qa_resource" && { missed_runs: 0 }),
        }),
      )
      .execute();
  }
}

export async function deleteCached(
  trx: Db,
  table: CacheTable,
  ids: readonly string[],
): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    await tables(trx)
      .deleteFrom(table)
      .where("id", "in", ids.slice(from, from + atOnce))
      .execute();
  }
}

export async function findCachedSite(db: Db): Promise<string | null> {
  const row = await tables(db).selectFrom("qa_site").select("metadata").executeTakeFirst();
  return row?.metadata ?? null;
}

/** Null: nothing is known about the site as a whole. */
export async function saveCachedSite(trx: Db, metadata: string | null): Promise<void> {
  if (metadata === null) {
    await tables(trx).deleteFrom("qa_site").execute();
    return;
  }
  await tables(trx)
    .insertInto("qa_site")
    .values({ id: 1, metadata })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ metadata }))
    .execute();
}
