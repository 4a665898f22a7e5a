import { Kysely, PostgresDialect } from "kysely";
import { Pool, TypeOverrides, types as pgTypes } from "pg";
import { AppError } from "../../kit/errors.ts";
import { PreparingClient } from "./preparing-client.ts";
import { sqliteDialect } from "./sqlite.ts";

/**
 * A connection without tables of its own: each store names those it reads and writes by
 * `db.withTables<{…}>()`, so that no place knows all tables.
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
  // Counts and ids stay well inside the safe integers; as text they would leak into answers.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const pool = new Pool({
    Client: PreparingClient,
    connectionString: url,
    max: 8,
    types,
    // A server that is gone without a word is noticed, and nobody waits for it for ever.
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  // An idle connection that the server closes is replaced at the next query.
  pool.on("error", () => {});
  // One that breaks while a transaction holds it tells that by its next query; the pool looks after
  // idle ones alone, and what nobody listens to ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Opens the database: PostgreSQL where `url` is given, else the SQLite file, which is made when
 * missing. The caller closes it.
 */
export function openDatabase(options: { url: string | null; file: string }): Database {
  const { url, file } = options;
  const db = url === null ? openSqlite(file) : openPostgres(url);
  return { db, dialect: url === null ? "sqlite" : "postgres", close: () => db.destroy() };
}
