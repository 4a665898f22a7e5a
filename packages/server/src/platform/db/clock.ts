import { PostgresAdapter, type RawBuilder, sql } from "kysely";
import type { Db, Dialect } from "./connect.ts";

/** The kind of this database. */
export function dialectOf(db: Db): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite";
}

/**
 * An SQL expression for the time of the database's clock plus `offsetMs`, as ISO 8601 UTC with
 * milliseconds: all processes agree on it, whatever their own clocks say.
 */
export function databaseTime(db: Db, offsetMs = 0): RawBuilder<string> {
  const seconds = offsetMs / 1000;
  if (dialectOf(db) === "postgres") {
    return sql<string>`to_char((clock_timestamp() + make_interval(secs => ${seconds}::double precision)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  }
  return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds.toFixed(3)} seconds`})`;
}
