import type { Selectable } from "kysely";
import { sql } from "kysely";
import { databaseTime } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import { registrySchema } from "../../platform/db/schema-address.ts";

interface CopyTable {
  site_id: string;
  incarnation: string;
  settings: string | null;
  version: number;
  sealed_keys: string | null;
  key_id: string | null;
}

interface RemovalTable {
  schema_name: string;
  site_id: string;
  created_at: string;
}

export type CopyRow = Selectable<CopyTable>;
export type RemovalRow = Selectable<RemovalTable>;

type Tables = {
  site_copy: CopyTable;
  site_awake: { site_id: string; node: string; until: string };
  site_removal: RemovalTable;
};

const tables = (db: Db) => db.withTables<Tables>();

/** Whether the database that `db` leads to has a registry with sites, whichever schema `db` is in. */
export function hasFurtherSites(db: Db): Promise<boolean> {
  return hasRows(db, "site");
}

/** The same for removed sites whose objects are still in the object store. */
export function hasSiteRemovals(db: Db): Promise<boolean> {
  return hasRows(db, "site_removal");
}

async function hasRows(db: Db, name: "site" | "site_removal"): Promise<boolean> {
  const table = `${registrySchema}.${name}`;
  const found = await sql<{ is_there: boolean }>`
    select to_regclass(${table}) is not null as is_there`.execute(db);
  if (!found.rows[0]?.is_there) return false;
  const { rows } = await sql<{ has_rows: boolean }>`
    select exists (select 1 from ${sql.table(table)}) as has_rows`.execute(db);
  return rows[0]?.has_rows ?? false;
}

export async function findCopy(db: Db, siteId: string): Promise<CopyRow | null> {
  const query = tables(db).selectFrom("site_copy").selectAll().where("site_id", "=", siteId);
  return (await query.executeTakeFirst()) ?? null;
}

/** The sites that are complete. */
export async function listComplete(db: Db): Promise<string[]> {
  const query = tables(db).selectFrom("site_copy").select("site_id");
  const rows = await query.where("settings", "is not", null).execute();
  return rows.map(({ site_id: id }) => id);
}

/** Replaces what there is of a site with this name. */
export async function putCopy(db: Db, row: CopyRow): Promise<void> {
  const { site_id: _, ...values } = row;
  await tables(db)
    .insertInto("site_copy")
    .values(row)
    .onConflict((conflict) => conflict.column("site_id").doUpdateSet(values))
    .execute();
}

/** False if there is one for this site. */
export async function insertCopy(db: Db, row: CopyRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto("site_copy")
    .values(row)
    .onConflict((conflict) => conflict.column("site_id").doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Stores settings and keys of a site that is complete now; false if it isn't this one any more. */
export async function completeCopy(
  db: Db,
  { site_id, incarnation, ...values }: Omit<CopyRow, "version">,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("site_copy")
    .set(values)
    .where("site_id", "=", site_id)
    .where("incarnation", "=", incarnation)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replaces settings and keys; false if they aren't of this version any more. */
export async function updateCopy(
  db: Db,
  { site_id, incarnation, ...values }: Omit<CopyRow, "version">,
  version: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("site_copy")
    .set({ ...values, version: version + 1 })
    .where("site_id", "=", site_id)
    .where("incarnation", "=", incarnation)
    .where("version", "=", version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The complete sites after this one, by name, whose keys are encrypted with another key than this one. */
export function listSealedWithOther(
  db: Db,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<CopyRow[]> {
  return tables(db)
    .selectFrom("site_copy")
    .selectAll()
    .where("key_id", "is not", null)
    .where("key_id", "!=", keyId)
    .where("site_id", ">", after)
    .orderBy("site_id")
    .limit(limit)
    .execute();
}

/** Replaces encrypted keys, unless another node has done so. */
export async function replaceSealed(
  db: Db,
  { site_id, incarnation, sealed_keys, key_id }: CopyRow,
  sealed: { keyId: string; ciphertext: string },
): Promise<void> {
  await tables(db)
    .updateTable("site_copy")
    .set({ sealed_keys: sealed.ciphertext, key_id: sealed.keyId })
    .where("site_id", "=", site_id)
    .where("incarnation", "=", incarnation)
    .where("sealed_keys", "=", sealed_keys)
    .where("key_id", "=", key_id)
    .execute();
}

export async function deleteCopy(db: Db, siteId: string): Promise<void> {
  await tables(db).deleteFrom("site_awake").where("site_id", "=", siteId).execute();
  await tables(db).deleteFrom("site_copy").where("site_id", "=", siteId).execute();
}

/** Notes that a node has processes of a site, for `leaseMs` unless it is noted again. */
export async function putAwake(
  db: Db,
  { siteId, node, leaseMs }: { siteId: string; node: string; leaseMs: number },
): Promise<void> {
  const until = databaseTime(db, leaseMs);
  await tables(db)
    .insertInto("site_awake")
    .values({ site_id: siteId, node, until })
    .onConflict((conflict) => conflict.columns(["site_id", "node"]).doUpdateSet({ until }))
    .execute();
}

/** Forgets that a node has processes of a site, or of any. */
export async function deleteAwake(db: Db, node: string, siteId?: string): Promise<void> {
  let query = tables(db).deleteFrom("site_awake").where("node", "=", node);
  if (siteId !== undefined) query = query.where("site_id", "=", siteId);
  await query.execute();
}

/** Where sites have processes. */
export function listAwake(db: Db): Promise<{ siteId: string; node: string }[]> {
  return tables(db)
    .selectFrom("site_awake")
    .select(["site_id as siteId", "node"])
    .where("until", ">", databaseTime(db))
    .execute();
}

/** Renames a schema, if it exists, to one whose objects are to be removed. */
export async function discardSchema(
  db: Db,
  { schema, siteId, as, now }: { schema: string; siteId: string; as: string; now: string },
): Promise<void> {
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
  if (rows.length === 0) return;
  await sql`alter schema ${sql.id(schema)} rename to ${sql.id(as)}`.execute(db);
  await tables(db)
    .insertInto("site_removal")
    .values({ schema_name: as, site_id: siteId, created_at: now })
    .execute();
}

/**
 * The schemas of removed sites, in any order, so that those that can't be removed don't keep others from
 * being listed.
 */
export function listRemovals(db: Db, limit: number): Promise<RemovalRow[]> {
  return tables(db)
    .selectFrom("site_removal")
    .selectAll()
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
}

/** Drops the schema of a removed site, of which nothing is left in the object store. */
export async function finishRemoval(db: Db, schema: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(transaction);
    await tables(transaction)
      .deleteFrom("site_removal")
      .where("schema_name", "=", schema)
      .execute();
  });
}
