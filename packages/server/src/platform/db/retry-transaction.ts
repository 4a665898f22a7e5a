import type { Db } from "./connect.ts";

/** PostgreSQL's unique_violation, foreign_key_violation, serialization_failure, deadlock_detected. */
const postgresConflicts = new Set<unknown>(["23505", "23503", "40001", "40P01"]);

/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const sqliteConflicts = new Set<unknown>([1555, 2067]);

/** Whether another transaction changed something between this one's reads and writes. */
export function isConflict(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return postgresConflicts.has(code) || sqliteConflicts.has(errcode);
}

/**
 * Runs `work` in a transaction and repeats it if it conflicts with another one, whose writes it
 * then sees. Rethrows the conflict after `maxAttempts`, and every other error immediately.
 */
export async function retryTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  { maxAttempts = 3 }: { maxAttempts?: number } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= maxAttempts || !isConflict(error)) throw error;
    }
  }
}
