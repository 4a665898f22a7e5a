import type { Db } from "../../platform/db/connect.ts";

interface Tables {
  publish_target: { id: number; revision: number; state: string | null };
  publish_target_file: { target_id: number; path: string; mark: string };
}

const tables = (db: Db) => db.withTables<{ [T in keyof Tables]: Tables[T] }>();

/** What the target's kind remembers between deliveries. */
export async function readState(db: Db, id: number): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("publish_target")
    .select("state")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.state ?? null;
}

export async function writeState(
  db: Db,
  { id, revision }: { id: number; revision: number },
  state: string | null,
): Promise<void> {
  await tables(db)
    .updateTable("publish_target")
    .set({ state })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .execute();
}

/** What a target holds: paths with the marks of their files. */
export async function readMarks(db: Db, id: number): Promise<Map<string, string>> {
  const rows = await tables(db)
    .selectFrom("publish_target_file")
    .select(["path", "mark"])
    .where("target_id", "=", id)
    .execute();
  return new Map(rows.map(({ path, mark }) => [path, mark]));
}

/** So many rows fit into a statement of either database. */
const maxRows = 500;

/** Stores the marks of files, in statements of a bounded size. */
export async function putMarks(
  db: Db,
  id: number,
  marks: readonly { path: string; mark: string }[],
): Promise<void> {
  for (let start = 0; start < marks.length; start += maxRows) {
    await tables(db)
      .insertInto("publish_target_file")
      .values(
        marks
          .slice(start, start + maxRows)
          .map(({ path, mark }) => ({ target_id: id, path, mark })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["target_id", "path"])
          .doUpdateSet(({ ref }) => ({ mark: ref("excluded.mark") })),
      )
      .execute();
  }
}

/** Forgets these files of a target, or all of them. */
export async function deleteMarks(db: Db, id: number, paths?: readonly string[]): Promise<void> {
  const all = tables(db).deleteFrom("publish_target_file").where("target_id", "=", id);
  if (paths === undefined) {
    await all.execute();
    return;
  }
  for (let start = 0; start < paths.length; start += maxRows) {
    await all.where("path", "in", paths.slice(start, start + maxRows)).execute();
  }
}

/** Has all files of a target sent again. */
export async function clearMarks(db: Db, id: number): Promise<void> {
  await tables(db)
    .updateTable("publish_target_file")
    .set({ mark: "" })
    .where("target_id", "=", id)
    .execute();
}
