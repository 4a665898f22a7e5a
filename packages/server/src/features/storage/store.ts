import { type Generated, type Selectable, sql } from "kysely";
import { AppError } from "../../kit/errors.ts";
import { databaseTime } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";

interface FileTable {
  path: string;
  blob_name: string;
  updated_at: string;
}

interface RefTable {
  name: string;
  object_id: string;
  updated_at: string;
}

interface PackTable {
  id: Generated<number>;
  ref: string;
  base_id: string | null;
  object_id: string;
  blob_name: string;
  created_at: string;
}

interface ReleaseTable {
  release_number: number;
  artifact: string;
  released_at: string;
}

type Tables = {
  stored_file: FileTable;
  stored_ref: RefTable;
  stored_pack: PackTable;
  stored_release: ReleaseTable;
  stored_upload: { received: number; size: number; ended_at: string | null };
  stored_attempt: object;
  stored_upload_part: object;
  stored_import: object;
};

export type PackRow = Selectable<PackTable>;
export type ReleaseRow = Selectable<ReleaseTable>;

const tables = (db: Db) => db.withTables<Tables>();

/** Stores which blobs these paths have from now on. */
export async function putFiles(
  db: Db,
  files: readonly { path: string; blobName: string }[],
): Promise<void> {
  for (const { path, blobName } of files) {
    await tables(db)
      .insertInto("stored_file")
      .values({ path, blob_name: blobName, updated_at: databaseTime(db) })
      .onConflict((conflict) =>
        conflict.column("path").doUpdateSet({
          blob_name: (set) => set.ref("excluded.blob_name"),
          updated_at: (set) => set.ref("excluded.updated_at"),
        }),
      )
      .execute();
  }
}

export async function deleteFiles(db: Db, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await tables(db)
    .deleteFrom("stored_file")
    .where("path", "in", [...paths])
    .execute();
}

/** The files at or below a folder, which ends with a slash. */
export function listFilesBelow(db: Db, folder: string) {
  return (
    tables(db)
      .selectFrom("stored_file")
      .select(["path", "blob_name as blobName", "updated_at as updatedAt"])
      .where("path", ">=", folder)
      // The next character after the slash.
      .where("path", "<", `${folder.slice(0, -1)}0`)
      .execute()
  );
}

export function findFiles(db: Db, paths: readonly string[]) {
  if (paths.length === 0) return Promise.resolve([]);
  return tables(db)
    .selectFrom("stored_file")
    .select(["path", "blob_name as blobName"])
    .where("path", "in", [...paths])
    .execute();
}

/** Names what was shared when everything of the first node was stored. */
const instanceRef = "instance";

/** Whether everything that the first node had is stored: from then on, nodes follow what is stored. */
export async function isShared(db: Db): Promise<boolean> {
  return (await findRef(db, instanceRef)) !== null;
}

/** Notes that everything is stored. */
export async function setShared(db: Db, version: string): Promise<void> {
  await moveRef(db, { name: instanceRef, from: null, to: version });
}

/** Throws `invalid_state` if uploads are complete and not in the media library yet. */
export async function assertNoCompleteUploads(db: Db): Promise<void> {
  const { count } = await tables(db)
    .selectFrom("stored_upload")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .whereRef("received", "=", "size")
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(count) === 0) return;
  const message = `Uploads are being processed (${count}). Wait until they are in the media library, or cancel them, and run this again.`;
  throw new AppError("invalid_state", message);
}

/** There while the sharing has ended. */
const endedRef = "ended";

/** Whether the sharing has ended: until the restart without it, nothing new may depend on it. */
export async function hasEnded(db: Db): Promise<boolean> {
  return (await findRef(db, endedRef)) !== null;
}

/** Notes that the sharing begins again. */
export async function clearEnd(db: Db): Promise<void> {
  await deleteRef(db, endedRef);
}

/**
 * Ends the sharing: forgets everything that is stored; the objects stay. Throws `invalid_state` if
 * uploads are complete and not in the media library yet.
 */
export async function forgetEverything(db: Db, version: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Unfinished uploads go first: what completes until the end of the transaction finds no row then.
    await tables(transaction)
      .deleteFrom("stored_upload")
      .where(({ or, eb, ref }) =>
        or([eb("ended_at", "is not", null), eb("received", "<", ref("size"))]),
      )
      .execute();
    await assertNoCompleteUploads(transaction);
    const names = [
      "stored_ref",
      "stored_pack",
      "stored_file",
      "stored_release",
      "stored_upload_part",
      "stored_attempt",
      "stored_import",
    ] as const;
    for (const name of names) await tables(transaction).deleteFrom(name).execute();
    await moveRef(transaction, { name: endedRef, from: null, to: version });
  });
}

/** What is different after each change of the shared files. */
const filesRef = "files";

/** Notes that the shared files have changed. */
export async function bumpFilesVersion(db: Db, version: string): Promise<void> {
  await tables(db)
    .insertInto("stored_ref")
    .values({ name: filesRef, object_id: version, updated_at: databaseTime(db) })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet({
        object_id: (set) => set.ref("excluded.object_id"),
        updated_at: (set) => set.ref("excluded.updated_at"),
      }),
    )
    .execute();
}

/** The version of the shared files; null before the first one. */
export function findFilesVersion(db: Db): Promise<string | null> {
  return findRef(db, filesRef);
}

/** What a ref names; null if there is no such ref. */
export async function findRef(db: Db, name: string): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("stored_ref")
    .select("object_id")
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.object_id ?? null;
}

/** Moves a ref from one object to another, or creates it if `from` is null. False if it is elsewhere. */
export async function moveRef(
  db: Db,
  { name, from, to }: { name: string; from: string | null; to: string },
): Promise<boolean> {
  const at = { object_id: to, updated_at: databaseTime(db) };
  if (from === null) {
    const { numInsertedOrUpdatedRows } = await tables(db)
      .insertInto("stored_ref")
      .values({ name, ...at })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .executeTakeFirst();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
  const { numUpdatedRows } = await tables(db)
    .updateTable("stored_ref")
    .set(at)
    .where("name", "=", name)
    .where("object_id", "=", from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function insertPack(db: Db, pack: Omit<PackRow, "id" | "created_at">): Promise<void> {
  await tables(db)
    .insertInto("stored_pack")
    .values({ ...pack, created_at: databaseTime(db) })
    .execute();
}

/** The packs of a ref, oldest first. */
export function listPacks(db: Db, ref: string): Promise<PackRow[]> {
  return tables(db)
    .selectFrom("stored_pack")
    .selectAll()
    .where("ref", "=", ref)
    .orderBy("id")
    .execute();
}

export async function deletePacks(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tables(db)
    .deleteFrom("stored_pack")
    .where("id", "in", [...ids])
    .execute();
}

/** Deletes a ref with its packs. */
export async function deleteRef(db: Db, name: string): Promise<void> {
  await tables(db).deleteFrom("stored_pack").where("ref", "=", name).execute();
  await tables(db).deleteFrom("stored_ref").where("name", "=", name).execute();
}

/** The refs at or below a prefix that ends with a slash and that have moved within `maxAgeMs`. */
export function listRecentRefs(db: Db, prefix: string, maxAgeMs: number) {
  return (
    tables(db)
      .selectFrom("stored_ref")
      .select(["name", "object_id as objectId"])
      .where("name", ">=", prefix)
      // The next character after the slash.
      .where("name", "<", `${prefix.slice(0, -1)}0`)
      .where("updated_at", ">", databaseTime(db, -maxAgeMs))
      .execute()
  );
}

/** What a ref that has moved within `maxAgeMs` names. */
export async function findRecentRef(
  db: Db,
  name: string,
  maxAgeMs: number,
): Promise<string | undefined> {
  const row = await tables(db)
    .selectFrom("stored_ref")
    .select("object_id")
    .where("name", "=", name)
    .where("updated_at", ">", databaseTime(db, -maxAgeMs))
    .executeTakeFirst();
  return row?.object_id;
}

/** Creates a ref or moves it, wherever it is; it is recent again. */
export async function putRef(db: Db, name: string, objectId: string): Promise<void> {
  const at = { object_id: objectId, updated_at: databaseTime(db) };
  await tables(db)
    .insertInto("stored_ref")
    .values({ name, ...at })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(at))
    .execute();
}

/** Deletes the refs below a prefix but for the newest `count` of those that `listRecentRefs` lists. */
export async function keepNewestRefs(
  db: Db,
  prefix: string,
  { maxAgeMs, count }: { maxAgeMs: number; count: number },
): Promise<void> {
  const isBelow = (name: string) =>
    sql<boolean>`${sql.ref(name)} >= ${prefix} and ${sql.ref(name)} < ${`${prefix.slice(0, -1)}0`}`;
  await tables(db)
    .deleteFrom("stored_ref")
    .where(isBelow("name"))
    .where((where) =>
      where.or([
        where("updated_at", "<=", databaseTime(db, -maxAgeMs)),
        where(
          "name",
          "not in",
          where
            .selectFrom("stored_ref as newest")
            .select("newest.name")
            .where(isBelow("newest.name"))
            .orderBy("newest.updated_at", "desc")
            .orderBy("newest.name", "desc")
            .limit(count),
        ),
      ]),
    )
    .execute();
}

/** The names of refs that begin with this. */
export async function listRefs(db: Db, prefix: string): Promise<string[]> {
  const rows = await tables(db).selectFrom("stored_ref").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name).filter((name) => name.startsWith(prefix));
}

/** Stores a release, unless there is one with its number. Returns the artifact of that number. */
export async function insertRelease(
  db: Db,
  { release, artifact }: { release: number; artifact: string },
): Promise<string> {
  await tables(db)
    .insertInto("stored_release")
    .values({ release_number: release, artifact, released_at: databaseTime(db) })
    .onConflict((conflict) => conflict.column("release_number").doNothing())
    .execute();
  const row = await tables(db)
    .selectFrom("stored_release")
    .select("artifact")
    .where("release_number", "=", release)
    .executeTakeFirstOrThrow();
  return row.artifact;
}

/** The newest releases, newest first. */
export function listReleases(db: Db, limit: number): Promise<ReleaseRow[]> {
  return tables(db)
    .selectFrom("stored_release")
    .selectAll()
    .orderBy("release_number", "desc")
    .limit(limit)
    .execute();
}

/** Deletes all releases but the newest ones. */
export async function deleteOldReleases(db: Db, keep: number): Promise<void> {
  const kept = await listReleases(db, keep);
  const oldest = kept.at(-1)?.release_number;
  if (oldest === undefined) return;
  await tables(db).deleteFrom("stored_release").where("release_number", "<", oldest).execute();
}
