import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { AppError } from "../../kit/errors.ts";
import type { ProcessLock } from "../lock.ts";
import type { Db } from "./connect.ts";

const pollMs = 25;

/**
 * A lock between all nodes that share a PostgreSQL database, by its name. The server releases it when
 * its holder's connection ends, which it notices within 25 s (server-connections.ts); a holder that is
 * cut off may still work then, so what it does must be refused by the database itself. The locks of this
 * machine's processes (`local`) are taken first, so that they wait in order and use one connection.
 */
export function openAdvisoryLock(db: Db, name: string, local: ProcessLock): ProcessLock {
  async function acquire(connection: Db, deadline: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const { rows } = await sql<{ taken: boolean }>`
        select pg_try_advisory_lock(hashtextextended(current_schema() || ${name}, 0)) as taken`.execute(
        connection,
      );
      if (rows[0]?.taken) return;
      if (performance.now() >= deadline) {
        throw new AppError("locked", "Another node is working here. Try again in a moment.");
      }
      await delay(pollMs);
    }
  }

  return {
    run(task, { waitMs = 10_000, signal } = {}) {
      const deadline = performance.now() + waitMs;
      const onConnection = () =>
        db.connection().execute(async (connection) => {
          await acquire(connection, deadline, signal);
          try {
            return await task();
          } finally {
            const release = sql`select pg_advisory_unlock(hashtextextended(current_schema() || ${name}, 0))`;
            // A broken connection has released it.
            await release.execute(connection).catch(() => {});
          }
        });
      return local.run(onConnection, { waitMs, signal });
    },
    close: () => local.close(),
  };
}
