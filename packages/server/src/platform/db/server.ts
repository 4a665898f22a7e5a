import { sql } from "kysely";
import type { Db } from "./connect.ts";

/** What a PostgreSQL server says of a connection's user and database. */
export interface ServerInfo {
  user: string;
  encoding: string;
  /** Whether the user may create tables. */
  canCreate: boolean;
  isReadOnly: boolean;
}

/** Asks a PostgreSQL server what this connection may do. */
export async function readServer(db: Db): Promise<ServerInfo> {
  const { rows } = await sql<ServerInfo>`
    select current_user as "user", current_setting('server_encoding') as encoding,
      coalesce(has_schema_privilege(current_schema(), 'create'),
        has_database_privilege(current_database(), 'create')) as "canCreate",
      current_setting('transaction_read_only') = 'on' as "isReadOnly"`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("the server doesn't answer");
  return row;
}

/** Lets PostgreSQL plan queries by what is in the tables now. */
export async function updateStatistics(db: Db): Promise<void> {
  await sql`analyze`.execute(db);
}
