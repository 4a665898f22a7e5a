import type { Db } from "../../platform/db/connect.ts";

/** PostgreSQL's unique_violation, foreign_key_violation, serialization_failure, deadlock_detected. */
const lostRaces = new Set(["23505", "23503", "40001", "40P01"]);

/** Whether somebody else's change came between a transaction's looking and its writing. */
function isLostRace(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && lostRaces.has(code);
}

/**
 * Does `work` in a transaction. One that lost a race begins again, as often as twice: it then finds
 * what the other has written, and can say so. SQLite has one writer at a time, and no such races.
 */
export async function inTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  attempts = 3,
): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (attempts <= 1 || !isLostRace(error)) throw error;
    return inTransaction(db, work, attempts - 1);
  }
}
