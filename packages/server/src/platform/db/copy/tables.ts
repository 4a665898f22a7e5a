import { sql } from "kysely";
import { AppError } from "../../../kit/errors.ts";
import type { Database, Db, Dialect } from "../connect.ts";

/** How the values of a column are read, compared, and written. */
export type ColumnKind = "integer" | "text" | "real" | "double";

export interface Column {
  name: string;
  kind: ColumnKind;
}

/** A table as it is in both kinds of database. */
export interface Table {
  name: string;
  /** By name, because databases order them by when they were added. */
  columns: Column[];
  /** Indexes in `columns` of those of the primary key, in its order. */
  key: number[];
  /** The column whose values the database assigns; null without one. */
  identity: string | null;
}

/** The types of the schema, by their names in either kind of database. */
const kinds: Record<string, ColumnKind> = {
  integer: "integer",
  bigint: "integer",
  text: "text",
  real: "real",
  "double precision": "double",
};

interface ColumnRow {
  table: string;
  name: string;
  type: string;
  /** Its number in the primary key, from 1; 0 if it isn't in it. */
  keyPosition: number;
  isIdentity: boolean | number;
}

const queries: Record<Dialect, string> = {
  sqlite: `
    select t.name as "table", c.name as name, c.type as type, c.pk as "keyPosition",
      c.pk = 1 and t.sql like '%autoincrement%' as "isIdentity"
    from sqlite_master t join pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'`,
  postgres: `
    select c.relname as "table", a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type,
      coalesce(k.position, 0)::integer as "keyPosition", a.attidentity <> '' as "isIdentity"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join lateral unnest(i.indkey::int2[]) with ordinality as k (number, position)
      on k.number = a.attnum
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`,
};

function makeTable(name: string, rows: readonly ColumnRow[]): Table {
  const sorted = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const columns = sorted.map((row): Column => {
    const kind = kinds[row.type.toLowerCase()];
    if (kind !== undefined) return { name: row.name, kind };
    throw new AppError("internal", `${name}.${row.name} has the unknown type ${row.type}.`);
  });
  const key = rows
    .filter(({ keyPosition }) => keyPosition > 0)
    .toSorted((a, b) => a.keyPosition - b.keyPosition)
    .map((row) => sorted.indexOf(row));
  if (key.length === 0) throw new AppError("internal", `The table ${name} has no primary key.`);
  return { name, columns, key, identity: rows.find((row) => row.isIdentity)?.name ?? null };
}

/** The names of all tables of a database. */
export async function listTableNames(database: Database): Promise<string[]> {
  const { rows } = await sql.raw<ColumnRow>(queries[database.dialect]).execute(database.db);
  return [...new Set(rows.map(({ table }) => table))].toSorted();
}

/** How many rows the tables of these names have together, as the database counts them. */
export async function countRows(db: Db, names: readonly string[]): Promise<number> {
  let count = 0;
  for (const name of names) {
    const query = sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`;
    count += Number((await query.execute(db)).rows[0]?.rows);
  }
  return count;
}

/** The tables of these names, in their order. Throws if one is missing. */
export async function readTables(
  { db, dialect }: { db: Db; dialect: Dialect },
  names: readonly string[],
): Promise<Table[]> {
  const { rows } = await sql.raw<ColumnRow>(queries[dialect]).execute(db);
  return names.map((name) => {
    const own = rows.filter(({ table }) => table === name);
    if (own.length === 0) {
      throw new AppError("unavailable", `The database has no table ${name}. Restore a backup.`);
    }
    return makeTable(name, own);
  });
}
