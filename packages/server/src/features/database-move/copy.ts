import { AppError } from "../../kit/errors.ts";
import type { Database } from "../../platform/db/connect.ts";
import { withReader } from "../../platform/db/copy/read-rows.ts";
import { readSequence, writeSequence } from "../../platform/db/copy/sequences.ts";
import { digestTable, syncTable, type TableDigest } from "../../platform/db/copy/sync-table.ts";
import { listTableNames, readTables, type Table } from "../../platform/db/copy/tables.ts";
import { moveMarks } from "../../platform/db/move-marks.ts";
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
    if ((await readSequence(target.database, table)) !== last) {
      await writeSequence(target.database, table, last);
    }
    if ((await readSequence(target.database, table)) === last) continue;
    throw new AppError("internal", `The numbers of ${table.name} can't be continued.`);
  }
}

/**
 * Counts and hashes the tables that were changed in the target, and compares them with what was
 * copied; the others were just compared row by row. Throws `internal` with the table that differs.
 */
export async function verifyTables(
  { target, tables, signal }: CopyOptions,
  copied: ReadonlyMap<string, TableDigest & { changes: number }>,
): Promise<void> {
  for (const table of tables) {
    const expected = copied.get(table.name);
    if (expected?.changes === 0) continue;
    signal.throwIfAborted();
    const found = await withReader(target.reading, { ignoredMigrations, isQuiet: true }, (reader) =>
      digestTable(reader, table),
    );
    if (found.rows === expected?.rows && found.sha256 === expected.sha256) continue;
    const message = `The table ${table.name} has ${found.rows} rows after copying that aren't the ${expected?.rows ?? 0} of before.`;
    throw new AppError("internal", message);
  }
}
