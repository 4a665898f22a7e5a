import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

interface KnownRow {
  id: string;
  /** JSON. */
  known: string;
}

type KnownTables = {
  qa_resource: KnownRow;
  qa_external: KnownRow;
  qa_site: { id: number; known: string };
};

export type KnownTable = "qa_resource" | "qa_external";

const atOnce = 1000;

function tables(db: Db) {
  return db.withTables<KnownTables>();
}

/** What is stored, as JSON by id. */
export async function storedKnown(db: Db, table: KnownTable): Promise<Map<string, string>> {
  const rows = await tables(db).selectFrom(table).selectAll().orderBy("id").execute();
  return new Map(rows.map(({ id, known }) => [id, known]));
}

export async function putKnown(
  trx: Db,
  table: KnownTable,
  rows: readonly KnownRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += atOnce) {
    await tables(trx)
      .insertInto(table)
      .values(rows.slice(from, from + atOnce))
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet({ known: sql.ref("excluded.known") }),
      )
      .execute();
  }
}

export async function dropKnown(trx: Db, table: KnownTable, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    await tables(trx)
      .deleteFrom(table)
      .where("id", "in", ids.slice(from, from + atOnce))
      .execute();
  }
}

export async function storedSite(db: Db): Promise<string | null> {
  const row = await tables(db).selectFrom("qa_site").select("known").executeTakeFirst();
  return row?.known ?? null;
}

/** Null: nothing holds of the site as a whole. */
export async function putSite(trx: Db, known: string | null): Promise<void> {
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
