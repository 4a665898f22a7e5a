import { createHash } from "node:crypto";
import { CompiledQuery } from "kysely";
import { AppError } from "../../../kit/errors.ts";
import type { Db, Dialect } from "../connect.ts";
import { isConflict } from "../retry-transaction.ts";
import { compareKeys, keyParameters, readRows, type Reader, type Row } from "./read-rows.ts";
import type { Table } from "./tables.ts";

/** How many rows a table has, and the SHA-256 of all of them in the order of the primary key. */
export interface TableDigest {
  rows: number;
  sha256: string;
}

/** Where rows are written. Nobody else uses it, and it enforces no foreign keys. */
export interface Writer {
  db: Db;
  dialect: Dialect;
  signal: AbortSignal;
  /** Called with the number of rows of each batch that was written. */
  onRows(count: number): void;
}

/** Rows are written after so many of them or characters, in statements of at most so many values. */
const maxPendingRows = 500;
const maxPendingLength = 2 ** 22;
const maxStatementValues = 20_000;
/** SQLite limits the depth of expressions. */
const maxDeletedRows = 200;

function makeDigest() {
  const hash = createHash("sha256");
  let rows = 0;
  return {
    add({ text }: Row) {
      rows += 1;
      hash.update(text).update("\n");
    },
    end: (): TableDigest => ({ rows, sha256: hash.digest("hex") }),
  };
}

/** Counts and hashes the rows of a table. */
export async function digestTable(reader: Reader, table: Table): Promise<TableDigest> {
  const digest = makeDigest();
  for await (const row of readRows(reader, table)) digest.add(row);
  return digest.end();
}

/** The numbered or unnumbered placeholders of a statement, from its first on. */
function makePlaceholders(dialect: Dialect): () => string {
  let count = 0;
  return () => {
    count += 1;
    return dialect === "postgres" ? `$${count}` : "?";
  };
}

async function deleteRows({ db, dialect }: Writer, table: Table, rows: readonly Row[]) {
  for (let at = 0; at < rows.length; at += maxDeletedRows) {
    const some = rows.slice(at, at + maxDeletedRows);
    const placeholder = makePlaceholders(dialect);
    const names = table.key.map((index) => `"${table.columns[index]?.name}"`);
    const one = () => `(${names.map((name) => `${name} = ${placeholder()}`).join(" and ")})`;
    const text = `delete from "${table.name}" where ${some.map(one).join(" or ")}`;
    const parameters = some.flatMap((row) => keyParameters(table, row));
    await db.executeQuery(CompiledQuery.raw(text, parameters));
  }
}

async function insertStatement({ db, dialect }: Writer, table: Table, rows: readonly Row[]) {
  const placeholder = makePlaceholders(dialect);
  const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
  const one = () => `(${table.columns.map(placeholder).join(", ")})`;
  const text = `insert into "${table.name}" (${names}) values ${rows.map(one).join(", ")}`;
  const parameters = rows.flatMap(({ values }) => values);
  await db.executeQuery(CompiledQuery.raw(text, parameters));
}

async function insertRows(writer: Writer, table: Table, rows: readonly Row[]): Promise<void> {
  const size = Math.max(1, Math.floor(maxStatementValues / table.columns.length));
  for (let at = 0; at < rows.length; at += size) {
    await insertStatement(writer, table, rows.slice(at, at + size));
  }
}

const keyText = (table: Table, { values }: Row) => table.key.map((at) => values[at]).join(", ");

/** PostgreSQL has no text with NUL, and says neither where it is nor what it is. */
function assertStorable(table: Table, row: Row): void {
  const at = row.values.findIndex((value) => typeof value === "string" && value.includes("\0"));
  if (at < 0) return;
  const message = `${table.name}.${table.columns[at]?.name} of the row ${keyText(table, row)} contains a NUL character, which PostgreSQL can't store. Change it first.`;
  throw new AppError("validation_failed", message);
}

/** PostgreSQL's data exceptions, not_null_violation, and check_violation: a value doesn't fit. */
const isDataError = (error: unknown) =>
  /^(?:22...|23502|23514)$/.test(String((error as { code?: unknown }).code));

/** Finds the row that a database refuses, to name it. */
async function explainRefusal(
  writer: Writer,
  table: Table,
  { rows, cause }: { rows: readonly Row[]; cause: unknown },
): Promise<never> {
  for (const row of rows) {
    const refused = await writer.db
      .transaction()
      .execute(async (db) => {
        await deleteRows({ ...writer, db }, table, [row]);
        await insertStatement({ ...writer, db }, table, [row]);
      })
      .then(
        () => null,
        (error: unknown) => error as Error,
      );
    if (refused === null || !isDataError(refused)) continue;
    const message = `The row ${keyText(table, row)} of ${table.name} can't be stored: ${refused.message}.`;
    throw new AppError("validation_failed", message, { cause: refused });
  }
  throw cause;
}

/** Collects changes and writes them in transactions of bounded size. */
function makeChanges(writer: Writer, table: Table) {
  let deleted: Row[] = [];
  let inserted: Row[] = [];
  let length = 0;
  let count = 0;
  async function write(): Promise<void> {
    const rows = inserted;
    if (writer.dialect === "postgres") for (const row of rows) assertStorable(table, row);
    const both = writer.db.transaction().execute(async (db) => {
      await deleteRows({ ...writer, db }, table, deleted);
      await insertRows({ ...writer, db }, table, rows);
    });
    await both.catch((cause: unknown) => {
      if (!isDataError(cause)) throw cause;
      return explainRefusal(writer, table, { rows, cause });
    });
    writer.onRows(rows.length);
    count += deleted.length + rows.length;
    [deleted, inserted, length] = [[], [], 0];
  }
  return {
    delete: (row: Row) => void deleted.push(row),
    insert(row: Row) {
      inserted.push(row);
      length += row.text.length;
    },
    async flush(isEnd = false): Promise<void> {
      const pending = deleted.length + inserted.length;
      const isFull = pending >= maxPendingRows || length >= maxPendingLength;
      if (pending === 0 || !(isFull || isEnd)) return;
      writer.signal.throwIfAborted();
      await write();
    },
    count: () => count,
  };
}

/** Compares both tables row by row, and copies what differs. */
async function mergeRows(
  source: Reader,
  target: { reader: Reader; writer: Writer },
  table: Table,
): Promise<TableDigest & { changes: number }> {
  const digest = makeDigest();
  const changes = makeChanges(target.writer, table);
  const others = readRows(target.reader, table);
  try {
    let other = (await others.next()).value ?? null;
    for await (const row of readRows(source, table)) {
      digest.add(row);
      while (other !== null && compareKeys(table, other, row) < 0) {
        changes.delete(other);
        other = (await others.next()).value ?? null;
        await changes.flush();
      }
      const isSame = other !== null && compareKeys(table, other, row) === 0;
      if (!isSame || other?.text !== row.text) {
        if (isSame) changes.delete(row);
        changes.insert(row);
        await changes.flush();
      }
      if (isSame) other = (await others.next()).value ?? null;
    }
    for (; other !== null; other = (await others.next()).value ?? null) {
      changes.delete(other);
      await changes.flush();
    }
    await changes.flush(true);
  } finally {
    await others.return();
  }
  return { ...digest.end(), changes: changes.count() };
}

/**
 * Makes a table of the target equal to the source's as it is now: compares them row by row and
 * writes what differs in small transactions, so that it can be repeated after a kill and costs
 * little if there is little to do. Returns what the source has, and how many rows were changed.
 * Throws `validation_failed` with the row that the target can't store.
 */
export async function syncTable(
  source: Reader,
  target: { reader: Reader; writer: Writer },
  table: Table,
): Promise<TableDigest & { changes: number }> {
  try {
    return await mergeRows(source, target, table);
  } catch (error) {
    if (!isConflict(error)) throw error;
    // Rows have exchanged unique values: a batch has one that a later batch is about to free.
    const text = `delete from "${table.name}"`;
    await target.writer.db.executeQuery(CompiledQuery.raw(text));
    return mergeRows(source, target, table);
  }
}
