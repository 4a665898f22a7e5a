import { mapConcurrently } from "../../kit/concurrency.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { forgetObjects, listObjectKeys, type ObjectTable, objectTables } from "./blob-store.ts";

const batchSize = 200;
const maxConcurrent = 8;

export interface RemoveEverythingOptions {
  /** The records of an instance that nothing uses any more. */
  db: Db;
  objects: Pick<ObjectStore, "remove">;
  /** How many objects to remove at most. */
  limit: number;
  signal: AbortSignal;
}

/** PostgreSQL's undefined_table. */
const noSuchTable = "42P01";

/** None in a table that was never made. */
async function listKeys(db: Db, table: ObjectTable): Promise<string[]> {
  try {
    return await listObjectKeys(db, table, batchSize);
  } catch (error) {
    if ((error as { code?: unknown }).code === noSuchTable) return [];
    throw error;
  }
}

/**
 * Removes everything of an instance from the object store, as far as `limit` allows; what is removed is
 * forgotten afterwards, so it can be continued at any time. True if nothing is left.
 */
export async function removeEverything(options: RemoveEverythingOptions): Promise<boolean> {
  const { db, objects, limit, signal } = options;
  let removed = 0;
  for (const table of objectTables) {
    for (;;) {
      signal.throwIfAborted();
      const keys = await listKeys(db, table);
      if (keys.length === 0) break;
      if (removed >= limit) return false;
      await mapConcurrently(keys, maxConcurrent, (key) => objects.remove(key, signal));
      await forgetObjects(db, table, keys);
      removed += keys.length;
    }
  }
  return true;
}
