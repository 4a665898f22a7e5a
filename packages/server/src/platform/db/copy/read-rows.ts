import { CompiledQuery } from "kysely";
import { AppError } from "../../../kit/errors.ts";
import type { Database, Db, Dialect } from "../connect.ts";
import type { Table } from "./tables.ts";

/** A value as it is compared: whole numbers are text, because they may have 64 bits. */
export type Value = string | number | null;

export interface Row {
  /** In the order of the table's columns. */
  values: Value[];
  /** The values as one text that is equal in both kinds of database. */
  text: string;
}

/** Batches are about this large, in characters, and have at most so many rows. */
const batchLength = 2 ** 21;
const maxBatchRows = 500;
const firstBatchRows = 16;

/** A connection on which rows are read. */
export interface Reader {
  db: Db;
  dialect: Dialect;
  /** Rows of these names are left out of `migration`: they are about the database itself. */
  ignoredMigrations: readonly string[];
}

const quoted = (name: string) => `"${name}"`;

/** PostgreSQL orders text by the database's locale otherwise. */
function orderOf({ columns, key }: Table, dialect: Dialect): string {
  const isPostgres = dialect === "postgres";
  return key
    .map((at) => {
      const column = columns[at];
      const order = isPostgres && column?.kind === "text" ? ` collate "C"` : "";
      return `${quoted(column?.name ?? "")}${order}`;
    })
    .join(", ");
}

/**
 * Whole numbers are read as text; what isn't one stays as it is, and is refused where it matters.
 * The names are none of columns, because `order by` prefers them.
 */
function selectionOf({ columns }: Table): string {
  return columns
    .map(({ name, kind }, at) => {
      const value = kind === "integer" ? `cast(${quoted(name)} as text)` : quoted(name);
      return `${value} as ${quoted(`value ${at}`)}`;
    })
    .join(", ");
}

function conditionOf({ name }: Table, { ignoredMigrations }: Reader): string {
  if (name !== "migration" || ignoredMigrations.length === 0) return "true";
  return `name not in (${ignoredMigrations.map((one) => `'${one}'`).join(", ")})`;
}

function makeRow(table: Table, row: Record<string, unknown>): Row {
  const values = table.columns.map(({ name, kind }, at): Value => {
    const value = row[`value ${at}`];
    if (value === null || typeof value === "string") return value;
    // A PostgreSQL `real` has fewer digits than SQLite's.
    if (typeof value === "number") return kind === "real" ? Math.fround(value) : value;
    const message = `${table.name}.${name} has a value that isn't text or a number.`;
    throw new AppError("unavailable", message);
  });
  return { values, text: JSON.stringify(values) };
}

/** How many rows to read next, by the size of those before. */
function nextBatchRows(rows: readonly Row[]): number {
  const length = rows.reduce((sum, { text }) => sum + text.length, 0);
  const average = Math.max(1, length / Math.max(1, rows.length));
  return Math.max(1, Math.min(maxBatchRows, Math.floor(batchLength / average)));
}

/** A key's values as parameters: text in place of a whole number would be compared as text. */
export function keyParameters({ columns, key }: Table, { values }: Row): unknown[] {
  return key.map((at) => {
    const value = values[at];
    return columns[at]?.kind === "integer" && typeof value === "string" ? BigInt(value) : value;
  });
}

async function* readSqlite(reader: Reader, table: Table): AsyncGenerator<Row[]> {
  const [selection, order] = [selectionOf(table), orderOf(table, "sqlite")];
  const marks = table.key.map(() => "?").join(", ");
  const start = `select ${selection} from ${quoted(table.name)} where ${conditionOf(table, reader)}`;
  let limit = firstBatchRows;
  let last: Row | undefined;
  for (;;) {
    const after = last === undefined ? "" : ` and (${order}) > (${marks})`;
    const parameters = last === undefined ? [] : keyParameters(table, last);
    const query = CompiledQuery.raw(`${start}${after} order by ${order} limit ?`, [
      ...parameters,
      limit,
    ]);
    const { rows } = await reader.db.executeQuery<Record<string, unknown>>(query);
    const batch = rows.map((row) => makeRow(table, row));
    if (batch.length > 0) yield batch;
    if (batch.length < limit) return;
    last = batch.at(-1);
    limit = nextBatchRows(batch);
  }
}

async function* readPostgres(reader: Reader, table: Table): AsyncGenerator<Row[]> {
  const run = (text: string) =>
    reader.db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text));
  const order = orderOf(table, "postgres");
  const cursor = quoted(`rows of ${table.name}`);
  await run(
    `declare ${cursor} no scroll cursor for select ${selectionOf(table)} from ${quoted(table.name)} where ${conditionOf(table, reader)} order by ${order}`,
  );
  try {
    let limit = firstBatchRows;
    for (;;) {
      const { rows } = await run(`fetch ${limit} from ${cursor}`);
      const batch = rows.map((row) => makeRow(table, row));
      if (batch.length > 0) yield batch;
      if (batch.length < limit) return;
      limit = nextBatchRows(batch);
    }
  } finally {
    await run(`close ${cursor}`);
  }
}

/** Which of two rows of a table is first in the order of `readRows`; 0 for the same key. */
export function compareKeys({ columns, key }: Table, a: Row, b: Row): number {
  for (const at of key) {
    const [left, right] = [a.values[at], b.values[at]];
    if (left === right) continue;
    if (columns[at]?.kind === "integer") {
      return BigInt(left ?? 0) < BigInt(right ?? 0) ? -1 : 1;
    }
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  }
  return 0;
}

/**
 * Reads a table in the order of its primary key, in batches of about two MiB. Throws `internal` if
 * a database has another order, because then rows would be missed.
 */
export async function* readRows(reader: Reader, table: Table): AsyncGenerator<Row, void> {
  const batches =
    reader.dialect === "sqlite" ? readSqlite(reader, table) : readPostgres(reader, table);
  let last: Row | undefined;
  for await (const batch of batches) {
    for (const row of batch) {
      if (last !== undefined && compareKeys(table, last, row) >= 0) {
        throw new AppError("internal", `The rows of ${table.name} aren't in the expected order.`);
      }
      last = row;
      yield row;
    }
  }
}

/**
 * Calls `work` with a reader that sees one moment of the database, whatever others write. With
 * `isQuiet`, nobody else writes: then SQLite needs no transaction, which would block `work`'s own writes.
 */
export async function withReader<T>(
  { db, dialect }: Database,
  { ignoredMigrations, isQuiet }: { ignoredMigrations: readonly string[]; isQuiet: boolean },
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  if (isQuiet && dialect === "sqlite") return work({ db, dialect, ignoredMigrations });
  return db.connection().execute(async (connection) => {
    const run = (text: string) => connection.executeQuery(CompiledQuery.raw(text));
    await run(dialect === "sqlite" ? "begin" : "begin isolation level repeatable read read only");
    try {
      return await work({ db: connection, dialect, ignoredMigrations });
    } finally {
      await run("rollback");
    }
  });
}
