import { type Selectable, sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";

interface UploadTable {
  id: string;
  size: number;
  received: number;
  part_count: number;
  original_name: string;
  alt: string;
  writer: string | null;
  holder: string | null;
  held_until: string | null;
  created_at: string;
  ended_at: string | null;
  result: string | null;
}

interface PartTable {
  object_key: string;
  upload_id: string;
  position: number;
  bytes: number;
  sha256: string;
  is_complete: 0 | 1;
  created_at: string;
}

type Tables = { stored_upload: UploadTable; stored_upload_part: PartTable };

export type UploadRow = Selectable<UploadTable>;
/** A part of an upload, as an object. */
export type PartRow = Omit<Selectable<PartTable>, "is_complete" | "created_at">;

const tables = (db: Db) => db.withTables<Tables>();

export async function insertUpload(
  db: Db,
  upload: Pick<UploadRow, "id" | "size" | "original_name" | "alt"> & { writer?: string },
): Promise<void> {
  await tables(db)
    .insertInto("stored_upload")
    .values({ ...upload, received: 0, part_count: 0, created_at: databaseTime(db) })
    .execute();
}

export function findUpload(db: Db, id: string): Promise<UploadRow | undefined> {
  return tables(db).selectFrom("stored_upload").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The newest uploads, newest first. */
export function listUploads(db: Db, limit: number): Promise<UploadRow[]> {
  return tables(db)
    .selectFrom("stored_upload")
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** How many uploads haven't ended. */
export async function countUnfinished(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("stored_upload")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Lets only `writer` add parts from now on; false if the upload is at another offset, or has ended. */
export async function takeWriter(
  db: Db,
  { id, offset, writer }: { id: string; offset: number; writer: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_upload")
    .set({ writer })
    .where("id", "=", id)
    .where("received", "=", offset)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores that the upload of a part to the object store begins. */
export async function beginPart(db: Db, part: PartRow): Promise<void> {
  await tables(db)
    .insertInto("stored_upload_part")
    .values({ ...part, is_complete: 0, created_at: databaseTime(db) })
    .execute();
}

/** Adds a part to its upload; false if `writer` may no longer do so. */
export async function completePart(
  db: Db,
  { object_key, upload_id, position, bytes }: PartRow,
  writer: string,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await tables(transaction)
      .updateTable("stored_upload")
      .set(({ eb }) => ({
        received: position + bytes,
        part_count: eb("part_count", "+", 1),
      }))
      .where("id", "=", upload_id)
      .where("received", "=", position)
      .where("writer", "=", writer)
      .where("ended_at", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await tables(transaction)
      .updateTable("stored_upload_part")
      .set({ is_complete: 1 })
      .where("object_key", "=", object_key)
      .execute();
    return true;
  });
}

export async function deletePart(db: Db, key: string): Promise<void> {
  await tables(db).deleteFrom("stored_upload_part").where("object_key", "=", key).execute();
}

/** The parts of an upload in order. */
export function listParts(db: Db, uploadId: string): Promise<PartRow[]> {
  return tables(db)
    .selectFrom("stored_upload_part")
    .select(["object_key", "upload_id", "position", "bytes", "sha256"])
    .where("upload_id", "=", uploadId)
    .where("is_complete", "=", 1)
    .orderBy("position")
    .execute();
}

/**
 * The objects of parts whose upload has ended or is gone, at most `limit`, in any order, so that those
 * that can't be removed don't keep others from being listed. What may still be uploaded isn't among them
 * before it is `abandonedMs` old.
 */
export async function listUnusedParts(
  db: Db,
  { abandonedMs, limit }: { abandonedMs: number; limit: number },
): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("stored_upload_part as part")
    .select("part.object_key")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("stored_upload as upload")
            .select(sql`1`.as("one"))
            .whereRef("upload.id", "=", "part.upload_id")
            .where("upload.ended_at", "is", null),
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
  return rows.map(({ object_key }) => object_key);
}

/** Whether nobody processes an upload. */
const isUnheld = (db: Db) => sql<boolean>`(held_until is null or held_until < ${databaseTime(db)})`;

/** The IDs of complete uploads that nobody processes, oldest first. */
export async function listUnclaimed(db: Db): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("stored_upload")
    .select("id")
    .whereRef("received", "=", "size")
    .where("ended_at", "is", null)
    .where(isUnheld(db))
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Makes `holder` the one that processes a complete upload; false if another one does. */
export async function claimUpload(
  db: Db,
  { id, holder, leaseMs }: { id: string; holder: string; leaseMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_upload")
    .set({ holder, held_until: databaseTime(db, leaseMs) })
    .where("id", "=", id)
    .whereRef("received", "=", "size")
    .where("ended_at", "is", null)
    .where(isUnheld(db))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Prolongs a claim, or gives it up with 0; false if it is another one's, or the upload has ended. */
export async function renewClaim(
  db: Db,
  { id, holder, leaseMs }: { id: string; holder: string; leaseMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_upload")
    .set({ held_until: leaseMs === 0 ? null : databaseTime(db, leaseMs) })
    .where("id", "=", id)
    .where("holder", "=", holder)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Ends an upload with its job as JSON, by the one that adds parts to it or processes it; false if it
 * has ended, or is another one's.
 */
export async function endUpload(
  db: Db,
  { id, by, result }: { id: string; by: string; result: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_upload")
    .set({ ended_at: databaseTime(db), result })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .where(({ or, eb }) => or([eb("writer", "=", by), eb("holder", "=", by)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes an upload that hasn't ended; with `holder`, only its own. False if there is none. */
export async function deleteUpload(db: Db, id: string, holder?: string): Promise<boolean> {
  let query = tables(db)
    .deleteFrom("stored_upload")
    .where("id", "=", id)
    .where("ended_at", "is", null);
  if (holder !== undefined) query = query.where("holder", "=", holder);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** Deletes uploads that began too long ago and that nobody processes, and those that ended long ago. */
export async function deleteOldUploads(
  db: Db,
  { lifetimeMs, retentionMs }: { lifetimeMs: number; retentionMs: number },
): Promise<void> {
  await tables(db)
    .deleteFrom("stored_upload")
    .where("ended_at", "is", null)
    .where("created_at", "<", databaseTime(db, -lifetimeMs))
    .where(isUnheld(db))
    .execute();
  await tables(db)
    .deleteFrom("stored_upload")
    .where("ended_at", "<", databaseTime(db, -retentionMs))
    .execute();
}
