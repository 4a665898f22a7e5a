import { type Selectable, sql } from "kysely";
import { databaseTime } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";

interface BlobTable {
  object_key: string;
  name: string;
  bytes: number;
  is_complete: 0 | 1;
  used_at: string;
}

type Tables = {
  stored_blob: BlobTable;
  stored_file: { blob_name: string };
  stored_pack: { blob_name: string };
  stored_upload_part: { object_key: string };
  stored_backup: { name: string };
  stored_backup_part: { object_key: string };
};

export type BlobRow = Selectable<BlobTable>;

const tables = (db: Db) => db.withTables<Tables>();

/** How recent a mark of use may be to be left as it is, in ms. */
const recentMs = 60 * 60 * 1000;

/** Marks the blobs of these names as used now. Returns the names that are complete. */
export async function touchBlobs(db: Db, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const before = databaseTime(db, -recentMs);
  const recent = await tables(db)
    .selectFrom("stored_blob")
    .select("name")
    .where("name", "in", [...names])
    .where("is_complete", "=", 1)
    .where("used_at", ">=", before)
    .execute();
  const touched = await tables(db)
    .updateTable("stored_blob")
    .set({ used_at: databaseTime(db) })
    .where("name", "in", [...names])
    .where("is_complete", "=", 1)
    .where("used_at", "<", before)
    .returning("name")
    .execute();
  return [...recent, ...touched].map(({ name }) => name);
}

/** Stores that an upload begins. */
export async function beginBlob(db: Db, blob: Omit<BlobRow, "is_complete" | "used_at">) {
  await tables(db)
    .insertInto("stored_blob")
    .values({ ...blob, is_complete: 0, used_at: databaseTime(db) })
    .execute();
}

/**
 * Completes an upload; false if another one of the same name was faster, or this one was given up
 * meanwhile. Throws if two are completed at the same moment.
 */
export async function completeBlob(
  db: Db,
  { object_key, name }: Pick<BlobRow, "object_key" | "name">,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_blob")
    .set({ is_complete: 1, used_at: databaseTime(db) })
    .where("object_key", "=", object_key)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("stored_blob as other")
            .select(sql`1`.as("one"))
            .where("other.name", "=", name)
            .where("other.is_complete", "=", 1),
        ),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteBlob(db: Db, objectKey: string): Promise<void> {
  await tables(db).deleteFrom("stored_blob").where("object_key", "=", objectKey).execute();
}

/** The complete blobs of these names. */
export function findBlobs(db: Db, names: readonly string[]): Promise<BlobRow[]> {
  if (names.length === 0) return Promise.resolve([]);
  return tables(db)
    .selectFrom("stored_blob")
    .selectAll()
    .where("name", "in", [...names])
    .where("is_complete", "=", 1)
    .execute();
}

/**
 * Deletes up to `limit` rows of blobs that nothing has used for `unusedMs` and that are in no file, no
 * pack, and not among `kept`; of unfinished ones, all. Returns them.
 */
export async function takeUnusedBlobs(
  db: Db,
  { unusedMs, limit, isKept }: { unusedMs: number; limit: number; isKept(name: string): boolean },
): Promise<BlobRow[]> {
  const before = databaseTime(db, -unusedMs);
  const candidates = await tables(db)
    .selectFrom("stored_blob")
    .selectAll()
    .where("used_at", "<", before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("stored_file")
            .select(sql`1`.as("one"))
            .whereRef("stored_file.blob_name", "=", "stored_blob.name"),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("stored_pack")
            .select(sql`1`.as("one"))
            .whereRef("stored_pack.blob_name", "=", "stored_blob.name"),
        ),
      ),
    )
    .execute();
  const unused = candidates.filter((row) => row.is_complete === 0 || !isKept(row.name));
  const keys = unused.slice(0, limit).map(({ object_key }) => object_key);
  if (keys.length === 0) return [];
  return (
    tables(db)
      .deleteFrom("stored_blob")
      .where("object_key", "in", keys)
      // Somebody may have found it in the meantime.
      .where("used_at", "<", before)
      .returningAll()
      .execute()
  );
}

/**
 * The tables that name objects of an instance. Manifests of backups come first, so that nobody finds a
 * backup without its parts.
 */
export const objectTables = [
  "stored_backup",
  "stored_backup_part",
  "stored_upload_part",
  "stored_blob",
] as const;

export type ObjectTable = (typeof objectTables)[number];

const objectKey = (table: ObjectTable) =>
  table === "stored_backup" ? sql<string>`'backups/' || name || '.json'` : sql<string>`object_key`;

/** The keys of up to `limit` objects that a table names. */
export async function listObjectKeys(db: Db, table: ObjectTable, limit: number): Promise<string[]> {
  const query = tables(db).selectFrom(table).select(objectKey(table).as("key")).limit(limit);
  return (await query.execute()).map(({ key }) => key);
}

/** Forgets objects that have been removed. */
export async function forgetObjects(
  db: Db,
  table: ObjectTable,
  keys: readonly string[],
): Promise<void> {
  await tables(db)
    .deleteFrom(table)
    .where(objectKey(table), "in", [...keys])
    .execute();
}
