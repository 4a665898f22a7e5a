import { Kysely, PostgresDialect } from "kysely";
import { Pool, TypeOverrides, types as pgTypes } from "pg";
import { AppError } from "../../kit/errors.ts";
import { PreparingClient } from "./preparing-client.ts";
import { sqliteDialect } from "./sqlite.ts";

/**
 * A connection without tables: each store names those it uses with `db.withTables<{…}>()`, so that
 * no place knows all tables.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export type Db = Kysely<{}>;

export type Dialect = "sqlite" | "postgres";

export interface Database {
  db: Db;
  dialect: Dialect;
  close(): Promise<void>;
}

function openSqlite(file: string): Db {
  try {
    return new Kysely({ dialect: sqliteDialect(file) });
  } catch (cause) {
    throw new AppError("unavailable", `The database file ${file} can't be opened.`, { cause });
  }
}

function openPostgres(url: string): Db {
  // Counts and IDs are safe integers; as text they would end up in responses.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const pool = new Pool({
    Client: PreparingClient,
    connectionString: url,
    max: 8,
    types,
    // Detects a server that disappeared silently, so that nobody waits forever.
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  // If the server closes an idle connection, the next query replaces it.
  pool.on("error", () => {});
  // A connection that breaks during a transaction reports it in its next query. The pool handles
  // only idle ones, and an unhandled error event would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Opens the database: PostgreSQL if `url` is given, otherwise the SQLite file, which is created if
 * missing. The caller closes it.
 */
export function openDatabase(options: { url: string | null; file: string }): Database {
  const { url, file } = options;
  const db = url === null ? openSqlite(file) : openPostgres(url);
  return { db, dialect: url === null ? "sqlite" : "postgres", close: () => db.destroy() };
}
