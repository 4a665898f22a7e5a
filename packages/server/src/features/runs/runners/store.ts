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

/** How long after its last beat a runner counts as alive, in ms. */
export const silentAfterMs = 60_000;

/** A runner as another one sees it. */
export interface RegisteredRunner {
  id: string;
  host: string;
  /** Its last beat, and the time of this look, both by the database's clock. */
  seenAt: string;
  now: string;
  /** Whether somebody took it for dead already. */
  isGone: boolean;
}

/** Says that the runner lives; false when its row is not there, or it was taken for dead. */
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

/** Writes a runner down as alive, be it for the first time or again. */
export async function registerRunner(db: Db, runner: NewRunner): Promise<void> {
  const now = databaseTime(db);
  await tables(db)
    .insertInto("runner")
    .values({ ...runner, started_at: now, seen_at: now, gone_at: null })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: now, gone_at: null }))
    .execute();
}

/** Every runner that is written down, or one of them. */
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

/** Takes a runner for dead, unless it has said since that it lives. Returns whether it is so now. */
export async function markRunnerGone(db: Db, { id, seenAt }: RegisteredRunner): Promise<boolean> {
  const result = await tables(db)
    .updateTable("runner")
    .set({ gone_at: databaseTime(db) })
    .where("id", "=", id)
    .where("seen_at", "=", seenAt)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Removes the rows of those that were taken for dead and have not come back. */
export async function deleteGoneRunners(db: Db, ids: readonly string[]): Promise<void> {
  await tables(db)
    .deleteFrom("runner")
    .where("id", "in", ids)
    .where("gone_at", "is not", null)
    .execute();
}

/** Removes the row of a runner that ends. */
export async function deleteRunner(db: Db, id: string): Promise<void> {
  await tables(db).deleteFrom("runner").where("id", "=", id).execute();
}

/** How many runners have said within the last minute that they live. */
export async function countAliveRunners(db: Db): Promise<number> {
  const row = await tables(db)
    .selectFrom("runner")
    .select(sql<number>`count(*)`.as("alive"))
    .where("gone_at", "is", null)
    .where("seen_at", ">", databaseTime(db, -silentAfterMs))
    .executeTakeFirstOrThrow();
  return Number(row.alive);
}

/** Says which runner works on a run, in the transaction that gives it the run. */
export async function setRunOwner(transaction: Db, runId: string, runnerId: string): Promise<void> {
  await tables(transaction)
    .insertInto("run_owner")
    .values({ run_id: runId, runner_id: runnerId })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet({ runner_id: runnerId }))
    .execute();
}

/** Of these runs, those that some runner works on or has worked on, with that runner's id. */
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
