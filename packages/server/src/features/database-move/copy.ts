import { AppError } from "../../kit/errors.ts";
import type { Database } from "../../platform/db/connect.ts";
import { withReader } from "../../platform/db/copy/read-rows.ts";
import { readCounter, readSequence, writeSequence } from "../../platform/db/copy/sequences.ts";
import { digestTable, syncTable, type TableDigest } from "../../platform/db/copy/sync-table.ts";
import {
  countRows,
  listTableNames,
  readTables,
  type Table,
} from "../../platform/db/copy/tables.ts";
import { countMarks, moveMarks } from "../../platform/db/move-marks.ts";
import type { Target } from "./target.ts";

const ignoredMigrations = moveMarks;

export interface CopyOptions {
  source: Database;
  target: Target;
  tables: readonly Table[];
  signal: AbortSignal;
  /** Called before a table is copied. */
  onTable(name: string): void;
  onRows(count: number): void;
}

/** The tables of the schema, and the source's that don't belong to it. */
export async function matchTables(
  source: Database,
  target: Database,
): Promise<{ tables: Table[]; foreign: string[] }> {
  const names = await listTableNames(target);
  const tables = await readTables(target, names);
  const given = await readTables(source, names);
  for (const [at, table] of tables.entries()) {
    if (JSON.stringify(given[at]) === JSON.stringify(table)) continue;
    const message = `The table ${table.name} isn't as this program's schema has it. Run \`vitrine migrate\`.`;
    throw new AppError("unavailable", message);
  }
  const all = await listTableNames(source);
  return { tables, foreign: all.filter((name) => !names.includes(name)) };
}

/**
 * Makes the target equal to the source as it is when this begins. `isFrozen`: nobody writes to the
 * source. Returns what each table of the source has, and how many rows of the target were changed.
 */
export async function copyTables(
  { source, target, tables, signal, onTable, onRows }: CopyOptions,
  isFrozen: boolean,
): Promise<Map<string, TableDigest & { changes: number }>> {
  const writer = { db: target.database.db, dialect: target.database.dialect, signal, onRows };
  const copied = new Map<string, TableDigest & { changes: number }>();
  await withReader(source, { ignoredMigrations, isQuiet: isFrozen }, async (reader) => {
    for (const table of tables) {
      signal.throwIfAborted();
      onTable(table.name);
      const quiet = { ignoredMigrations, isQuiet: true };
      const result = await withReader(target.reading, quiet, (other) =>
        syncTable(reader, { reader: other, writer }, table),
      );
      copied.set(table.name, result);
    }
  });
  return copied;
}

/** Has the next rows of the target get the numbers that they would get in the source. */
export async function copySequences({ source, target, tables }: CopyOptions): Promise<void> {
  for (const table of tables.filter(({ identity }) => identity !== null)) {
    const last = await readSequence(source, table);
    await writeSequence(target.database, table, last);
    if ((await readCounter(target.database, table)) === last) continue;
    throw new AppError("internal", `The numbers of ${table.name} can't be continued.`);
  }
}

/** What the database itself counts, without its marks. */
async function countTable({ db }: Database, { name }: Table): Promise<number> {
  const count = await countRows(db, [name]);
  return name === "migration" ? count - (await countMarks(db)) : count;
}

/**
 * Has both databases count their rows, and hashes the tables that were changed in the target; the
 * others were just compared row by row. Nobody may write to either. Throws `internal` with the table
 * that differs.
 */
export async function verifyTables(
  { source, target, tables, signal }: CopyOptions,
  copied: ReadonlyMap<string, TableDigest & { changes: number }>,
): Promise<void> {
  for (const table of tables) {
    signal.throwIfAborted();
    const { rows = 0, sha256, changes } = copied.get(table.name) ?? {};
    const counts = [await countTable(source, table), await countTable(target.database, table)];
    const isSame =
      changes === 0 ||
      (await withReader(target.reading, { ignoredMigrations, isQuiet: true }, (reader) =>
        digestTable(reader, table),
      ).then((found) => found.rows === rows && found.sha256 === sha256));
    if (isSame && counts.every((count) => count === rows)) continue;
    const message = `The table ${table.name} isn't the same in both databases: ${rows} rows were read, ${counts.join(" and ")} counted.`;
    throw new AppError("internal", message);
  }
}
