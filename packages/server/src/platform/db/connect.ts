import { Kysely, PostgresDialect } from "kysely";
import { Pool, TypeOverrides, types as pgTypes } from "pg";
import { AppError } from "../../kit/errors.ts";
import { PreparingClient } from "./preparing-client.ts";
import {
  clientKeepAlive,
  serverKeepAlive,
  watchConnections,
  type WatchIntervals,
} from "./server-connections.ts";
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

function openPostgres(url: string, lostAfter?: WatchIntervals): Db {
  // Counts and IDs are safe integers; as text they would end up in responses.
  const types = new TypeOverrides();
  types.setTypeParser(pgTypes.builtins.INT8, Number);
  const watch = watchConnections({ connectionString: url }, lostAfter);
  const pool = new Pool({
    Client: PreparingClient,
    connectionString: url,
    max: 8,
    types,
    ...clientKeepAlive,
  });
  // If the server closes an idle connection, the next query replaces it.
  pool.on("error", () => {});
  // A connection that breaks during a transaction reports it in its next query. The pool handles
  // only idle ones, and an unhandled error event would end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // A path is a Unix socket, which no network can cut.
    if (!(client instanceof PreparingClient) || client.host.startsWith("/")) return;
    // The first statement of a connection; an error comes again with the next one.
    client.query(serverKeepAlive).catch(() => {});
    watch.add(client);
  });
  pool.on("remove", (client) => {
    if (client instanceof PreparingClient) watch.remove(client);
  });
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Opens the database: PostgreSQL if `url` is given, otherwise the SQLite file, which is created if
 * missing. The caller closes it.
 */
export function openDatabase(options: {
  url: string | null;
  file: string;
  /** When to check a server that doesn't answer. */
  watch?: WatchIntervals;
}): Database {
  const { url, file, watch } = options;
  const db = url === null ? openSqlite(file) : openPostgres(url, watch);
  return { db, dialect: url === null ? "sqlite" : "postgres", close: () => db.destroy() };
}
