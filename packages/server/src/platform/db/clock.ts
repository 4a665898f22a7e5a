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
export function databaseTime(db: Db, offsetMs: number | TimeOffset = 0): RawBuilder<string> {
  const offset = typeof offsetMs === "number" ? timeOffset(db, offsetMs) : offsetMs;
  if (dialectOf(db) === "postgres") {
    return sql<string>`to_char((clock_timestamp() + make_interval(secs => ${offset}::double precision)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  }
  return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${offset})`;
}

/** A parameter for the offset of `databaseTime`, whose value is from `timeOffset`. */
export type TimeOffset = RawBuilder<string | number>;

/** An offset in ms in the form that `databaseTime` needs. */
export function timeOffset(db: Db, offsetMs: number): string | number {
  const seconds = offsetMs / 1000;
  return dialectOf(db) === "postgres" ? seconds : `${seconds.toFixed(3)} seconds`;
}
