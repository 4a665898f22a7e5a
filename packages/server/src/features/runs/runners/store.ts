import { sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";

interface RunnerTable {
  id: string;
  host: string;
  pid: number;
  port: number;
  started_at: string;
  seen_at: string;
  gone_at: string | null;
}

interface RunOwnerTable {
  run_id: string;
  runner_id: string;
}

function tables(db: Db) {
  return db.withTables<{ runner: RunnerTable; run_owner: RunOwnerTable }>();
}

/** How long after its last heartbeat a runner counts as alive, in ms. */
export const silentAfterMs = 60_000;

/** A runner as seen by another one. */
export interface RegisteredRunner {
  id: string;
  host: string;
  /** Its last heartbeat, and the time of this query, both by the database's clock. */
  seenAt: string;
  now: string;
  /** Whether it was marked as gone. */
  isGone: boolean;
}

/** Stores a heartbeat; false if the runner's row is missing or marked as gone. */
export async function updateHeartbeat(db: Db, id: string): Promise<boolean> {
  const result = await tables(db)
    .updateTable("runner")
    .set({ seen_at: databaseTime(db) })
    .where("id", "=", id)
    .where("gone_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export type NewRunner = Pick<RunnerTable, "id" | "host" | "pid" | "port">;

/** Registers a runner as alive, for the first time or again. */
export async function registerRunner(db: Db, runner: NewRunner): Promise<void> {
  const now = databaseTime(db);
  await tables(db)
    .insertInto("runner")
    .values({ ...runner, started_at: now, seen_at: now, gone_at: null })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: now, gone_at: null }))
    .execute();
}

/** All registered runners, or one of them. */
export async function listRunners(db: Db, id?: string): Promise<RegisteredRunner[]> {
  const rows = await tables(db)
    .selectFrom("runner")
    .select(["id", "host", "seen_at", "gone_at", databaseTime(db).as("now")])
    .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    seenAt: row.seen_at,
    now: row.now,
    isGone: row.gone_at !== null,
  }));
}

/**
 * Marks a runner as gone unless it has sent a heartbeat since. Returns whether it is marked now.
 */
export async function markRunnerGone(db: Db, { id, seenAt }: RegisteredRunner): Promise<boolean> {
  const result = await tables(db)
    .updateTable("runner")
    .set({ gone_at: databaseTime(db) })
    .where("id", "=", id)
    .where("seen_at", "=", seenAt)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Deletes the rows of runners that were marked as gone and haven't come back. */
export async function deleteGoneRunners(db: Db, ids: readonly string[]): Promise<void> {
  await tables(db)
    .deleteFrom("runner")
    .where("id", "in", ids)
    .where("gone_at", "is not", null)
    .execute();
}

/** Deletes the row of a runner that ends. */
export async function deleteRunner(db: Db, id: string): Promise<void> {
  await tables(db).deleteFrom("runner").where("id", "=", id).execute();
}

/** The number of runners with a heartbeat within the last minute. */
export async function countAliveRunners(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("runner")
    .select(sql<number>`count(*)`.as("alive"))
    .where("gone_at", "is", null)
    .where("seen_at", ">", databaseTime(db, -silentAfterMs))
    .executeTakeFirstOrThrow();
  return Number(row.alive);
}

/** Stores which runner owns a run, in the transaction that assigns it. */
export async function setRunOwner(transaction: Db, runId: string, runnerId: string): Promise<void> {
  await tables(transaction)
    .insertInto("run_owner")
    .values({ run_id: runId, runner_id: runnerId })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet({ runner_id: runnerId }))
    .execute();
}

/** Of these runs, those with an owner, with that runner's ID. */
export async function listRunOwners(
  db: Db,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("run_owner")
    .selectAll()
    .where("run_id", "in", runIds)
    .execute();
  return new Map(rows.map((row) => [row.run_id, row.runner_id]));
}
