import { sql } from "kysely";
import { openDatabase } from "./connect.ts";

/** Drops a schema with everything in it, if it exists. */
export async function dropPostgresSchema(url: string, schema: string): Promise<void> {
  const database = openDatabase({ url, file: "" });
  try {
    await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(database.db);
  } finally {
    await database.close();
  }
}
