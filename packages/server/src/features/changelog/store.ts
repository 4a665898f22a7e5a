import { setImmediate as nextTurn } from "node:timers/promises";
import { type ExpressionBuilder, type Generated, type Insertable, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

type ChangelogTable = {
  changelog_entry: {
    id: Generated<number>;
    kind: string;
    title: string;
    detail: string;
    at: string;
    actor: string;
    source: "seed" | "app";
    commit_sha: string | null;
    seed_key: string | null;
    created_at: string;
  };
  changelog_hidden: { entry_id: number; hidden_at: string };
  changelog_seed: {
    id: number;
    sha256: string;
    read_at: string;
    error: string | null;
  };
};

/** A change to the site and its author. Times are ISO 8601 UTC. */
export interface ChangelogEntry {
  id: number;
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
  source: "seed" | "app";
  commit: string | null;
  /** Not shown to visitors. */
  hidden: boolean;
}

/** An entry to store; its texts are within their limits (entry.ts). */
export interface EntryRow {
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
  source: "seed" | "app";
  commit: string | null;
  seedKey: string | null;
  createdAt: string;
}

function toRow(entry: EntryRow): Insertable<ChangelogTable["changelog_entry"]> {
  const { commit, seedKey, createdAt, ...same } = entry;
  return { ...same, commit_sha: commit, seed_key: seedKey, created_at: createdAt };
}

/** SQLite accepts 32,766 values per statement, PostgreSQL 65,535. */
const batchSize = 1000;

function inBatches<T>(list: T[]): T[][] {
  const batches: T[][] = [];
  for (let i = 0; i < list.length; i += batchSize) batches.push(list.slice(i, i + batchSize));
  return batches;
}

/** Inserts entries, skipping those whose `seedKey` exists. Returns the number inserted. */
export async function insertEntries(db: Db, entries: EntryRow[]): Promise<number> {
  let stored = 0;
  for (const batch of inBatches(entries)) {
    // SQLite works in this thread, so the event loop gets a turn between batches.
    await nextTurn();
    const result = await db
      .withTables<ChangelogTable>()
      .insertInto("changelog_entry")
      .values(batch.map(toRow))
      .onConflict((conflict) => conflict.column("seed_key").doNothing())
      .executeTakeFirst();
    stored += Number(result.numInsertedOrUpdatedRows ?? 0);
  }
  return stored;
}

/** The keys of all seeded entries. */
export async function seedKeys(db: Db): Promise<string[]> {
  const rows = await db
    .withTables<ChangelogTable>()
    .selectFrom("changelog_entry")
    .select("seed_key")
    .where("source", "=", "seed")
    .execute();
  return rows.flatMap((row) => row.seed_key ?? []);
}

/** Deletes seeded entries by their keys; never entries created in the app. */
export async function deleteSeeded(db: Db, keys: string[]): Promise<number> {
  let removed = 0;
  for (const batch of inBatches(keys)) {
    await nextTurn();
    const result = await db
      .withTables<ChangelogTable>()
      .deleteFrom("changelog_entry")
      .where("source", "=", "seed")
      .where("seed_key", "in", batch)
      .executeTakeFirst();
    removed += Number(result.numDeletedRows);
  }
  return removed;
}

/** Filters a list of entries; `q` is searched in all texts. */
export interface EntryFilter {
  q?: string | undefined;
  kind?: string | undefined;
  source?: "seed" | "app" | undefined;
  /** Only entries that visitors see. */
  isShown?: boolean | undefined;
}

const entryColumns = [
  "id",
  "kind",
  "title",
  "detail",
  "at",
  "actor",
  "source",
  "commit_sha as commit",
] as const;

const isHidden = (expression: ExpressionBuilder<ChangelogTable, "changelog_entry">) =>
  expression.exists(
    expression
      .selectFrom("changelog_hidden")
      .select("changelog_hidden.entry_id")
      .whereRef("changelog_hidden.entry_id", "=", "changelog_entry.id"),
  );

/** Converts a row, in which SQLite stores booleans as numbers. */
function toEntry<Row extends { hidden: unknown }>(row: Row): Row & { hidden: boolean } {
  return { ...row, hidden: Boolean(row.hidden) };
}

/**
 * The spellings of a search text. SQLite ignores the case of ASCII letters only, so the usual forms
 * of other letters are searched for separately.
 */
function spellingsOf(q: string): string[] {
  const lower = q.toLowerCase();
  const first = lower.slice(0, 1).toUpperCase() + lower.slice(1);
  return [...new Set([q, lower, first, q.toUpperCase()])];
}

function matches(expression: ExpressionBuilder<ChangelogTable, "changelog_entry">, q: string) {
  const columns = ["title", "detail", "kind", "actor"] as const;
  const patterns = spellingsOf(q).map((text) => `%${text.replace(/[\\%_]/g, "\\$&")}%`);
  return expression.or(
    columns.flatMap((column) =>
      patterns.map(
        (pattern) =>
          sql<boolean>`lower(${expression.ref(column)}) like lower(${pattern}) escape '\\'`,
      ),
    ),
  );
}

/** Entries newest first, `limit` of them after `offset`, and their total number. */
export async function listEntries(
  db: Db,
  { limit, offset, q, kind, source, isShown }: { limit: number; offset: number } & EntryFilter,
): Promise<{ items: ChangelogEntry[]; total: number }> {
  let table = db.withTables<ChangelogTable>().selectFrom("changelog_entry");
  if (kind !== undefined) table = table.where("kind", "=", kind);
  if (source !== undefined) table = table.where("source", "=", source);
  if (isShown) table = table.where((expression) => expression.not(isHidden(expression)));
  if (q) table = table.where((expression) => matches(expression, q));
  const { total } = await table
    .select((expression) => expression.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await table
    .select(entryColumns)
    .select((expression) => isHidden(expression).as("hidden"))
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return { items: items.map(toEntry), total: Number(total) };
}

/** The entry with this id. */
export async function findEntry(db: Db, id: number): Promise<ChangelogEntry | undefined> {
  const row = await db
    .withTables<ChangelogTable>()
    .selectFrom("changelog_entry")
    .select(entryColumns)
    .select((expression) => isHidden(expression).as("hidden"))
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toEntry(row);
}

/** Inserts an entry and returns it as stored. */
export async function insertEntry(db: Db, row: EntryRow): Promise<ChangelogEntry> {
  const stored = await db
    .withTables<ChangelogTable>()
    .insertInto("changelog_entry")
    .values(toRow(row))
    .returning(entryColumns)
    .executeTakeFirstOrThrow();
  return { ...stored, hidden: false };
}

/**
 * Changes the given fields of an entry created in the app; undefined if there is none with this ID.
 */
export async function updateEntry(
  db: Db,
  id: number,
  change: Partial<Pick<EntryRow, "kind" | "title" | "detail" | "at" | "actor">>,
): Promise<ChangelogEntry | undefined> {
  await db
    .withTables<ChangelogTable>()
    .updateTable("changelog_entry")
    .set(change)
    .where("id", "=", id)
    .where("source", "=", "app")
    .execute();
  const entry = await findEntry(db, id);
  return entry?.source === "app" ? entry : undefined;
}

/** Deletes an entry created in the app; false if there is none with this ID. */
export async function deleteEntry(db: Db, id: number): Promise<boolean> {
  const result = await db
    .withTables<ChangelogTable>()
    .deleteFrom("changelog_entry")
    .where("id", "=", id)
    .where("source", "=", "app")
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

export interface SeededEntry extends Omit<ChangelogEntry, "hidden"> {
  seedKey: string;
}

/** All seeded entries, unordered. */
export async function listSeeded(db: Db): Promise<SeededEntry[]> {
  const rows = await db
    .withTables<ChangelogTable>()
    .selectFrom("changelog_entry")
    .select([...entryColumns, "seed_key as seedKey"])
    .where("source", "=", "seed")
    .execute();
  return rows.flatMap(({ seedKey, ...row }) => (seedKey === null ? [] : [{ ...row, seedKey }]));
}

/** The stored state of the last seed file. */
export interface SeedState {
  /** A hash of the file and everything else that its entries depend on. */
  sha256: string;
  /** ISO 8601 UTC. */
  readAt: string;
  /** Why the file couldn't be used; null if it could. */
  error: string | null;
}

/** Undefined before a seed file was first read. */
export async function readSeedState(db: Db): Promise<SeedState | undefined> {
  return db
    .withTables<ChangelogTable>()
    .selectFrom("changelog_seed")
    .select(["sha256", "read_at as readAt", "error"])
    .where("id", "=", 1)
    .executeTakeFirst();
}

/** Replaces the stored state. */
export async function writeSeedState(db: Db, memory: SeedState): Promise<void> {
  const row = { sha256: memory.sha256, read_at: memory.readAt, error: memory.error };
  await db
    .withTables<ChangelogTable>()
    .insertInto("changelog_seed")
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}
