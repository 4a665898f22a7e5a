import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

/** How many schemas one statement asks for. */
const batchSize = 100;

/** Those of the schemas that have releases of nodes. */
async function listSharing(db: Db, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select schemaname as name from pg_tables
    where tablename = 'stored_release' and schemaname = any(${schemas})`.execute(db);
  return rows.map(({ name }) => name);
}

/** The newest release of each of these schemas of PostgreSQL; none for one without releases. */
export async function newestReleases(
  db: Db,
  schemas: readonly string[],
): Promise<Map<string, number>> {
  const newest = new Map<string, number>();
  for (let at = 0; at < schemas.length; at += batchSize) {
    const sharing = await listSharing(db, schemas.slice(at, at + batchSize));
    if (sharing.length === 0) continue;
    const queries = sharing.map(
      (schema) =>
        sql`select ${schema}::text as name, max(release_number) as release from ${sql.table(`${schema}.stored_release`)}`,
    );
    const { rows } = await sql<{ name: string; release: number | null }>`
      ${sql.join(queries, sql` union all `)}`.execute(db);
    for (const { name, release } of rows) if (release !== null) newest.set(name, release);
  }
  return newest;
}
