import type { Db } from "../../platform/db/connect.ts";
import type { MediaTable } from "./store.ts";

/** Whether an error means that another row references the one to delete. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // PostgreSQL's foreign_key_violation; SQLITE_CONSTRAINT_FOREIGNKEY.
  return code === "23503" || errcode === 787;
}

/**
 * Deletes an item's row; the foreign key of `project_media` prevents it if the item is in use. False
 * if it is gone, or, with `src`, if it has other files by now.
 */
export async function deleteMedia(db: Db, id: number, src?: string): Promise<boolean> {
  const query = db.withTables<MediaTable>().deleteFrom("media").where("id", "=", id);
  const wanted = src === undefined ? query : query.where("src", "=", src);
  const result = await wanted.executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
