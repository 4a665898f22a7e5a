import { type Generated, type Selectable, sql } from "kysely";
import { dialectOf } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Source, SourceAgent } from "./schema.ts";

type SourceTable = {
  source: {
    id: Generated<number>;
    agent: SourceAgent;
    title: string;
    url: string;
    notes: string;
    position: number;
    enabled: number;
    created_at: string;
    updated_at: string;
  };
};

/** The content of a source; its texts are within the limits of schema.ts. */
export type SourceRow = Pick<Source, "agent" | "title" | "url" | "notes" | "enabled">;

function toSource(row: Selectable<SourceTable["source"]>): Source {
  const { id, agent, title, url, notes } = row;
  const times = { createdAt: row.created_at, updatedAt: row.updated_at };
  return { id, agent, title, url, notes, enabled: row.enabled === 1, ...times };
}

/** All sources in order, or those stored for exactly this kind. */
export async function listSources(db: Db, agent?: SourceAgent): Promise<Source[]> {
  let query = db.withTables<SourceTable>().selectFrom("source").selectAll();
  if (agent !== undefined) query = query.where("agent", "=", agent);
  return (await query.orderBy("position").orderBy("id").execute()).map(toSource);
}

/** The enabled sources for one kind of agent, including those for all, in order. */
export async function enabledSources(db: Db, agents: readonly SourceAgent[]): Promise<Source[]> {
  const rows = await db
    .withTables<SourceTable>()
    .selectFrom("source")
    .selectAll()
    .where("enabled", "=", 1)
    .where("agent", "in", [...agents, "all"])
    .orderBy("position")
    .orderBy("id")
    .execute();
  return rows.map(toSource);
}

/** Lets only one transaction at a time add sources; SQLite has one writer at a time anyway. */
export async function lockSources(transaction: Db): Promise<void> {
  if (dialectOf(transaction) !== "postgres") return;
  await sql`lock table source in share row exclusive mode`.execute(transaction);
}

/** The number of sources, and the position after the last one. */
export async function countSources(db: Db): Promise<{ count: number; next: number }> {
  const row = await db
    .withTables<SourceTable>()
    .selectFrom("source")
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.max("position").as("last")])
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), next: row.last === null ? 0 : Number(row.last) + 1 };
}

/** Inserts a source at a position; `now` is ISO 8601 UTC. */
export async function insertSource(
  db: Db,
  { enabled, ...row }: SourceRow,
  { position, now }: { position: number; now: string },
): Promise<Source> {
  const added = await db
    .withTables<SourceTable>()
    .insertInto("source")
    .values({ ...row, position, enabled: enabled ? 1 : 0, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toSource(added);
}

/** Changes the given fields; undefined if there is none with this ID. */
export async function updateSource(
  db: Db,
  id: number,
  { enabled, ...change }: Partial<SourceRow>,
  now: string,
): Promise<Source | undefined> {
  const row = await db
    .withTables<SourceTable>()
    .updateTable("source")
    .set({
      ...change,
      ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
      updated_at: now,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row && toSource(row);
}

/** Deletes a source; false if there is none with this ID. */
export async function deleteSource(db: Db, id: number): Promise<boolean> {
  const result = await db
    .withTables<SourceTable>()
    .deleteFrom("source")
    .where("id", "=", id)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Sets the positions of sources to those of their IDs in the list. */
export async function setSourcePositions(db: Db, ids: readonly number[]): Promise<void> {
  for (const [position, id] of ids.entries()) {
    await db
      .withTables<SourceTable>()
      .updateTable("source")
      .set({ position })
      .where("id", "=", id)
      .execute();
  }
}
