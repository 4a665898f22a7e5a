import { type Generated, sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

interface CacheRow {
  id: string;
  /** JSON. */
  known: string;
}

type CacheTables = {
  qa_resource: CacheRow & { missed: Generated<number> };
  qa_external: CacheRow;
  qa_site: { id: number; known: string };
};

export type CacheTable = "qa_resource" | "qa_external";

const atOnce = 1000;

function tables(db: Db) {
  return db.withTables<CacheTables>();
}

/** What is stored, as JSON by id; without what the last passes have missed. */
export async function listCached(db: Db, table: CacheTable): Promise<Map<string, string>> {
  const query = tables(db).selectFrom(table).select(["id", "known"]).orderBy("id");
  const there = table === "qa_resource" ? query.where(sql.ref("missed"), "=", 0) : query;
  return new Map((await there.execute()).map(({ id, known }) => [id, known]));
}

/** Pages that the last whole passes have not met: how often, and what they were (JSON), by id. */
export async function listMissedPages(
  db: Db,
): Promise<Map<string, { known: string; missed: number }>> {
  const query = tables(db).selectFrom("qa_resource").selectAll().where("missed", ">", 0);
  return new Map((await query.execute()).map(({ id, known, missed }) => [id, { known, missed }]));
}

export async function markMissed(trx: Db, ids: readonly string[], missed: 1 | 2): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    await tables(trx)
      .updateTable("qa_resource")
      .set({ missed })
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
          known: sql.ref("excluded.known"),
          ...(table === "qa_resource" && { missed: 0 }),
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
  const row = await tables(db).selectFrom("qa_site").select("known").executeTakeFirst();
  return row?.known ?? null;
}

/** Null: nothing holds of the site as a whole. */
export async function saveCachedSite(trx: Db, known: string | null): Promise<void> {
  if (known === null) {
    await tables(trx).deleteFrom("qa_site").execute();
    return;
  }
  await tables(trx)
    .insertInto("qa_site")
    .values({ id: 1, known })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ known }))
    .execute();
}
