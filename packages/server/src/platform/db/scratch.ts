import { sql } from "kysely";
import { AppError } from "../../kit/errors.ts";
import { openDatabase } from "./connect.ts";

/**
 * The address of another database of the same server, with the same user and parameters. As text,
 * because addresses with a socket (`postgres://user@/name?host=/run/postgresql`) are no URLs. Throws
 * `bad_request` for an address without a database's name.
 */
export function postgresAddress(url: string, database: string): string {
  const parts = /^(postgres(?:ql)?:\/\/[^/?#]*)\/[^?#]+(.*)$/s.exec(url);
  if (parts === null) {
    throw new AppError("bad_request", "DATABASE_URL must be like postgres://USER@HOST/DATABASE.");
  }
  return `${parts[1]}/${database}${parts[2]}`;
}

async function onServer(
  url: string,
  work: (db: ReturnType<typeof openDatabase>["db"]) => Promise<unknown>,
) {
  const database = openDatabase({ url, file: "" });
  try {
    await work(database.db);
  } finally {
    await database.close();
  }
}

/** Creates an empty database on the server of this address. */
export function createPostgresDatabase(url: string, name: string): Promise<void> {
  return onServer(url, (db) => sql`create database ${sql.id(name)}`.execute(db));
}

/** Drops a database, and ends its connections; does nothing if it doesn't exist. */
export function dropPostgresDatabase(url: string, name: string): Promise<void> {
  return onServer(url, (db) =>
    sql`drop database if exists ${sql.id(name)} with (force)`.execute(db),
  );
}

/** How many other sessions of the same user use the database of this address. */
export async function countOtherSessions(url: string): Promise<number> {
  let count = 0;
  await onServer(url, async (db) => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and usename = current_user
      and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db);
    count = Number(rows[0]?.count ?? 0);
  });
  return count;
}
