import { type Selectable, sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";

interface BackupTable {
  name: string;
  status: "storing" | "complete" | "removing";
  key_id: string;
  version: string;
  created_at: string;
  bytes: number | null;
  files: number | null;
  release_number: number | null;
  touched_at: string;
  completed_at: string | null;
}

interface PartTable {
  object_key: string;
  backup_name: string;
  is_complete: 0 | 1;
  created_at: string;
}

type Tables = {
  stored_backup: BackupTable;
  stored_backup_part: PartTable;
  stored_last_backup: { id: number; created_at: string };
};

export type BackupRow = Selectable<BackupTable>;

const tables = (db: Db) => db.withTables<Tables>();

/** Stores that a backup begins. */
export async function beginBackup(
  db: Db,
  backup: Pick<BackupRow, "name" | "key_id" | "version" | "created_at">,
): Promise<void> {
  await tables(db)
    .insertInto("stored_backup")
    .values({ ...backup, status: "storing", touched_at: databaseTime(db) })
    .execute();
}

/** Notes that a backup is still being stored; false if it was given up. */
export async function touchBackup(db: Db, name: string): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_backup")
    .set({ touched_at: databaseTime(db) })
    .where("name", "=", name)
    .where("status", "=", "storing")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores that the upload of a part begins; false if its backup was given up. */
export async function beginPart(
  db: Db,
  { objectKey, name }: { objectKey: string; name: string },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await touchBackup(transaction, name))) return false;
    await tables(transaction)
      .insertInto("stored_backup_part")
      .values({
        object_key: objectKey,
        backup_name: name,
        is_complete: 0,
        created_at: databaseTime(transaction),
      })
      .execute();
    return true;
  });
}

export async function completePart(db: Db, objectKey: string): Promise<void> {
  await tables(db)
    .updateTable("stored_backup_part")
    .set({ is_complete: 1 })
    .where("object_key", "=", objectKey)
    .execute();
}

export async function deletePart(db: Db, objectKey: string): Promise<void> {
  await tables(db).deleteFrom("stored_backup_part").where("object_key", "=", objectKey).execute();
}

/** Makes a backup one that is listed; false if it was given up. */
export async function completeBackup(
  db: Db,
  { name, ...is }: Pick<BackupRow, "name" | "bytes" | "files" | "release_number">,
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_backup")
    .set({ ...is, status: "complete", completed_at: databaseTime(db) })
    .where("name", "=", name)
    .where("status", "=", "storing")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The complete backups, newest first. */
export function listBackups(db: Db): Promise<BackupRow[]> {
  return tables(db)
    .selectFrom("stored_backup")
    .selectAll()
    .where("status", "=", "complete")
    .orderBy("completed_at", "desc")
    .orderBy("name", "desc")
    .execute();
}

/** Whether a backup was completed within the last `ms`, by the clock of the database. */
export async function hasBackupSince(db: Db, ms: number): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("stored_backup")
    .select("name")
    .where("status", "=", "complete")
    .where("completed_at", ">=", databaseTime(db, -ms))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Has a backup removed; false if there is no such backup. */
export async function markForRemoval(
  db: Db,
  name: string,
  from: "storing" | "complete",
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_backup")
    .set({ status: "removing" })
    .where("name", "=", name)
    .where("status", "=", from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Has the backups removed that nobody has stored anything of for `abandonedMs`. */
export async function markAbandoned(db: Db, abandonedMs: number): Promise<void> {
  await tables(db)
    .updateTable("stored_backup")
    .set({ status: "removing" })
    .where("status", "=", "storing")
    .where("touched_at", "<", databaseTime(db, -abandonedMs))
    .execute();
}

/** The names of the backups that are to be removed. */
export async function listForRemoval(db: Db): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("stored_backup")
    .select("name")
    .where("status", "=", "removing")
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * Forgets a backup whose manifest was removed. One that was never complete stays until nobody has stored
 * anything of it for `abandonedMs`: its manifest may still arrive. Returns whether it is forgotten.
 */
export async function deleteBackup(
  db: Db,
  { name, abandonedMs }: { name: string; abandonedMs: number },
): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("stored_backup")
    .where("name", "=", name)
    .where(({ or, eb }) =>
      or([
        eb("completed_at", "is not", null),
        eb("touched_at", "<", databaseTime(db, -abandonedMs)),
      ]),
    )
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * The objects of parts whose backup is gone, at most `limit`, in any order, so that those that can't be
 * removed don't keep others from being listed. What may still be uploaded isn't among them before it is
 * `abandonedMs` old.
 */
export async function listUnusedParts(
  db: Db,
  { abandonedMs, limit }: { abandonedMs: number; limit: number },
): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("stored_backup_part as part")
    .select("part.object_key")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("stored_backup as backup")
            .select(sql`1`.as("one"))
            .whereRef("backup.name", "=", "part.backup_name"),
        ),
      ),
    )
    .where(({ or, eb }) =>
      or([
        eb("part.is_complete", "=", 1),
        eb("part.created_at", "<", databaseTime(db, -abandonedMs)),
      ]),
    )
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map(({ object_key: key }) => key);
}

/** The time of the database, on which all nodes agree. */
export async function findDatabaseTime(db: Db): Promise<string> {
  return (await db.selectNoFrom(databaseTime(db).as("at")).executeTakeFirstOrThrow()).at;
}

/** Tells all nodes that a backup was made of the instance as it was at this time. */
export async function noteLastBackup(db: Db, createdAt: string): Promise<void> {
  await tables(db)
    .insertInto("stored_last_backup")
    .values({ id: 1, created_at: createdAt })
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet({ created_at: (set) => set.ref("excluded.created_at") })
        .whereRef("stored_last_backup.created_at", "<", "excluded.created_at"),
    )
    .execute();
}
