/**
 * Writes rows to the instance's database until it is stopped, and notes each one in a file once it
 * is committed: those are the writes that somebody was told of.
 *
 *   node move-writer.ts DIR
 */
import { appendFileSync } from "node:fs";
import { sql } from "kysely";
import { chooseDatabase } from "../../packages/server/src/platform/active-database.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { assertMigrated } from "../../packages/server/src/platform/db/migrate.ts";
import { instancePaths } from "../../packages/server/src/platform/paths.ts";

const [, , dir = ""] = process.argv;
const paths = instancePaths(dir);
const { databaseUrl: url } = chooseDatabase(paths, null);
const database = openDatabase({ url, file: paths.database });
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());
process.on("disconnect", () => process.exit(0));
await assertMigrated(database);
process.send?.("ready");
while (!ending.signal.aborted) {
  const { rows } = await sql<{ id: number }>`
    insert into admin_log (at, method, outcome, ip, user_agent)
    values ('', 'password', 'success', '', 'é') returning id`.execute(database.db);
  appendFileSync(`${dir}/acknowledged`, `${rows[0]?.id}\n`);
  await new Promise((resolve) => setTimeout(resolve, 3));
}
await database.close();
process.exit(0);
