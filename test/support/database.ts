import { join } from "node:path";
import { sql } from "kysely";
import { type Database, openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { copyMigratedDatabase } from "./migrated-database.ts";
import { tempFolder } from "./temp.ts";

export interface TestDatabase extends AsyncDisposable {
  database: Database;
  /** Its SQLite file. */
  file: string;
  cleanup(): Promise<void>;
}

/** A migrated SQLite database in its own folder. */
export async function makeTestDatabase(): Promise<TestDatabase> {
  const folder = await tempFolder();
  const file = join(folder.path, "vitrine.db");
  await copyMigratedDatabase(file);
  const database = openDatabase({ url: null, file });
  const cleanup = async () => {
    await database.close();
    await folder.remove();
  };
  // Opened without migrating it.
  await sql`select 1`.execute(database.db);
  return { database, file, cleanup, [Symbol.asyncDispose]: cleanup };
}
