import type { Db } from "../../../platform/db/connect.ts";

interface ReferenceTable {
  id: string;
  name: string;
  mime: string;
  bytes: number;
  width: number;
  height: number;
  created_at: string;
}

/** An image for agents: a row and one file. */
export type ReferenceRow = ReferenceTable;

function tables(db: Db) {
  return db.withTables<{ reference_image: ReferenceTable }>();
}

export async function insertReference(db: Db, row: ReferenceRow): Promise<void> {
  await tables(db).insertInto("reference_image").values(row).execute();
}

export async function findReference(db: Db, id: string): Promise<ReferenceRow | undefined> {
  return tables(db)
    .selectFrom("reference_image")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function listReferenceIds(db: Db): Promise<string[]> {
  const rows = await tables(db).selectFrom("reference_image").select("id").execute();
  return rows.map(({ id }) => id);
}

/** References created before a time (ISO 8601 UTC), and those beyond the newest `maxStored`. */
export async function listOldReferences(
  db: Db,
  { before, maxStored }: { before: string; maxStored: number },
): Promise<ReferenceRow[]> {
  const rows = await tables(db)
    .selectFrom("reference_image")
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.filter((row, place) => place >= maxStored || row.created_at < before);
}

export async function deleteReferences(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tables(db).deleteFrom("reference_image").where("id", "in", ids).execute();
}
