import { sql } from "kysely";
import type { Db, Dialect } from "./connect.ts";

const tableRename = /^alter table (\w+) rename to (\w+)$/;
const newIndex = /^create (?:unique )?index if not exists (\w+)/;
const columnRename = /^alter table (\w+) rename column (\w+) to (\w+)$/;
const newColumn = /^alter table (\w+) add column (\w+) /;

async function columnsOf(dialect: Dialect, db: Db, table: string): Promise<string[]> {
  const query =
    dialect === "sqlite"
      ? sql<{ name: string }>`select name from pragma_table_info(${table})`
      : sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table}`;
  return (await query.execute(db)).rows.map(({ name }) => name);
}

/** PostgreSQL checks an index's columns before it checks whether the index exists. */
async function hasIndex(dialect: Dialect, db: Db, statement: string): Promise<boolean> {
  const name = newIndex.exec(statement)?.[1];
  if (dialect === "sqlite" || name === undefined) return false;
  const query = sql<{ found: string | null }>`select to_regclass(${name})::text as found`;
  return (await query.execute(db)).rows[0]?.found !== null;
}

/**
 * Runs one statement of a migration. SQL has no `rename if exists`, and SQLite no `add column if
 * not exists`, so renames that have happened and columns that exist are skipped. Then all
 * migrations can run again on a database whose record of them is lost. If an earlier migration has
 * recreated an old table by then, it is dropped; throws if it has rows.
 */
export async function runStatement(dialect: Dialect, db: Db, statement: string): Promise<void> {
  const [, oldTable = "", newTable = ""] = tableRename.exec(statement) ?? [];
  if (newTable !== "" && (await columnsOf(dialect, db, newTable)).length > 0) {
    if ((await columnsOf(dialect, db, oldTable)).length === 0) return;
    const old = sql.table(oldTable);
    const { rows } = await sql`select 1 from ${old} limit 1`.execute(db);
    if (rows.length > 0) throw new Error(`Both ${oldTable} and ${newTable} have rows.`);
    await sql`drop table ${old}`.execute(db);
    return;
  }
  const [, table = "", , column = ""] = columnRename.exec(statement) ?? [];
  if (table !== "" && (await columnsOf(dialect, db, table)).includes(column)) return;
  const [, grown = "", added = ""] = newColumn.exec(statement) ?? [];
  if (grown !== "" && (await columnsOf(dialect, db, grown)).includes(added)) return;
  if (await hasIndex(dialect, db, statement)) return;
  await sql.raw(statement).execute(db);
}
