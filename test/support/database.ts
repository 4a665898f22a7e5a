import { join } from "node:path";
import { sql } from "kysely";
import { type Database, openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { copyMigratedDatabase } from "./migrated-database.ts";
import { tempFolder } from "./temp.ts";

export interface TestDatabase extends AsyncDisposable {
  database: Database;
  /** Where its SQLite file is. */
  file: string;
  cleanup(): Promise<void>;
}

/** A migrated SQLite database in a folder of its own. */
export async function makeTestDatabase(): Promise<TestDatabase> {
  const folder = await tempFolder();
  const file = join(folder.path, "vitrine.db");
  await copyMigratedDatabase(file);
  const database = openDatabase({ url: null, file });
  const cleanup = async () => {
    await database.close();
    await folder.remove();
  };
  // Opened, as for whoever has migrated it.
  await sql`select 1`.execute(database.db);
  return { database, file, cleanup, [Symbol.asyncDispose]: cleanup };
}
