import type { Generated, Insertable } from "kysely";
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
};

/** One change of the site and who made it. Times are ISO 8601 UTC. */
export interface ChangelogEntry {
  id: number;
  kind: string;
  title: string;
  detail: string;
  at: string;
  actor: string;
  source: "seed" | "app";
  commit: string | null;
}

/** An entry to be stored; its texts are within their bounds (entry.ts). */
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

/** SQLite takes 32,766 values in a statement, PostgreSQL 65,535. */
const batchSize = 1000;

function inBatches<T>(list: T[]): T[][] {
  const batches: T[][] = [];
  for (let i = 0; i < list.length; i += batchSize) batches.push(list.slice(i, i + batchSize));
  return batches;
}

/** Stores entries; one whose `seedKey` is there already is passed over. Gives the number stored. */
export async function insertEntries(db: Db, entries: EntryRow[]): Promise<number> {
  let stored = 0;
  for (const batch of inBatches(entries)) {
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

/** Removes seeded entries by their keys; entries made in the app stay whatever is asked. */
export async function deleteSeeded(db: Db, keys: string[]): Promise<number> {
  let removed = 0;
  for (const batch of inBatches(keys)) {
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

/** Entries newest first, `limit` of them after `offset`, and how many there are in all. */
export async function listEntries(
  db: Db,
  slice: { limit: number; offset: number },
): Promise<{ items: ChangelogEntry[]; total: number }> {
  const table = db.withTables<ChangelogTable>().selectFrom("changelog_entry");
  const { total } = await table
    .select((expression) => expression.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await table
    .select(["id", "kind", "title", "detail", "at", "actor", "source", "commit_sha as commit"])
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
  return { items, total: Number(total) };
}
