import { type RawBuilder, sql } from "kysely";
import { sha256Hex } from "../../../kit/hash.ts";
import { databaseTime, dialectOf, timeOffset } from "../../../platform/db/clock.ts";
import { composedStatement } from "../../../platform/db/composed-statement.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { type TaskRow, tables } from "../store.ts";
import { activeStatuses } from "../task.ts";

/** What a worker passes in every step: the task, and the secret from its claim. */
export interface ClaimKey {
  taskId: number;
  token: string;
}

/**
 * Maximum wait of a queued task, in ms; one that would wait longer is due, because the clock was
 * set back.
 */
export const maxWaitMs = 60 * 60 * 1000;

/** The stored form of a token. */
export const hashOf = (token: string): string => sha256Hex(token);

/**
 * Claims the next due task for a worker, so that no other worker gets it and, on PostgreSQL, none
 * waits for another. The state is a literal, not a parameter, so that the partial index is always
 * used.
 */
export const claimStatement = composedStatement(
  ["worker", "hash", "lease", "leaseOffset"],
  (db, { worker, hash, lease, leaseOffset }) => {
    const now = databaseTime(db);
    const isPostgres = dialectOf(db) === "postgres";
    const lock = isPostgres ? sql`for update skip locked` : sql``;
    // The driver reads a row's many columns one by one, which takes longer than this.
    const returned = isPostgres ? sql`to_json(task) as task` : sql`*`;
    return sql<TaskRow | { task: TaskRow }>`
      update task set status = 'claimed', attempts = attempts + 1, claimed_by = ${worker},
        claim_hash = ${hash}, lease_ms = ${lease},
        lease_expires_at = ${databaseTime(db, leaseOffset)},
        expired_at = null, started_at = coalesce(started_at, ${now}), updated_at = ${now},
        not_before = null, waiting = null, error = null
      where id = (
        select id from task
        where status = 'queued' and (
          not_before is null or not_before <= ${now} or not_before > ${databaseTime(db, maxWaitMs)}
        )
        order by priority desc, id limit 1 ${lock}
      )
      returning ${returned}`;
  },
);

/** Claims the next due task with a token of this hash; null if nothing is due. */
export async function claimTask(
  db: Db,
  { worker, hash, leaseMs }: { worker: string; hash: string; leaseMs: number },
): Promise<TaskRow | null> {
  const leaseOffset = timeOffset(db, leaseMs);
  const [row] = await claimStatement.execute(db, { worker, hash, lease: leaseMs, leaseOffset });
  if (row === undefined) return null;
  return "task" in row ? row.task : row;
}

/** Makes all tasks that wait for another attempt due now. */
export async function endWaits(db: Db): Promise<void> {
  await tables(db)
    .updateTable("task")
    .set({ not_before: null, waiting: null, updated_at: databaseTime(db) })
    .where("status", "=", "queued")
    .where("not_before", "is not", null)
    .execute();
}

/** The claimed task for a key. */
export async function findClaimed(db: Db, key: ClaimKey): Promise<TaskRow | null> {
  const row = await tables(db)
    .selectFrom("task")
    .selectAll()
    .where("id", "=", key.taskId)
    .where("claim_hash", "=", hashOf(key.token))
    .where("status", "in", activeStatuses)
    .executeTakeFirst();
  return row ?? null;
}

/** Locks the row of a claimed task without changing it; returns whether the key is valid. */
export async function lockClaimed(trx: Db, key: ClaimKey): Promise<boolean> {
  const result = await tables(trx)
    .updateTable("task")
    .set((eb) => ({ claim_hash: eb.ref("claim_hash") }))
    .where("id", "=", key.taskId)
    .where("claim_hash", "=", hashOf(key.token))
    .where("status", "in", activeStatuses)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Stores the run of a claimed task; returns whether the key is valid. */
export async function startClaimed(trx: Db, key: ClaimKey, runId: string): Promise<boolean> {
  const result = await tables(trx)
    .updateTable("task")
    .set({ status: "building", run_id: runId, updated_at: databaseTime(trx) })
    .where("id", "=", key.taskId)
    .where("claim_hash", "=", hashOf(key.token))
    .where("status", "=", "claimed")
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Restarts the lease; returns its end, null if the key is invalid. */
export async function extendLease(db: Db, key: ClaimKey, leaseMs: number): Promise<string | null> {
  const row = await tables(db)
    .updateTable("task")
    .set({ lease_expires_at: databaseTime(db, leaseMs), expired_at: null })
    .where("id", "=", key.taskId)
    .where("claim_hash", "=", hashOf(key.token))
    .where("status", "in", activeStatuses)
    .returning("lease_expires_at")
    .executeTakeFirst();
  return row?.lease_expires_at ?? null;
}

/** A claimed task with the current time of the database's clock. */
export type ClaimedTask = TaskRow & { now: string };

/** All claimed tasks, or those of these workers. */
export async function listClaimed(db: Db, workers?: readonly string[]): Promise<ClaimedTask[]> {
  const now: RawBuilder<string> = databaseTime(db);
  return tables(db)
    .selectFrom("task")
    .selectAll()
    .select(now.as("now"))
    .where("claim_hash", "is not", null)
    .$if(workers !== undefined, (query) => query.where("claimed_by", "in", workers ?? []))
    .orderBy("id")
    .execute();
}

/**
 * Stores since when a lease seems expired, or that it isn't, unless it was renewed in the meantime.
 */
export async function markExpired(
  db: Db,
  task: ClaimedTask,
  expiredAt: string | null,
): Promise<void> {
  await tables(db)
    .updateTable("task")
    .set({ expired_at: expiredAt })
    .where("id", "=", task.id)
    .where("claim_hash", "=", task.claim_hash)
    .where("lease_expires_at", "=", task.lease_expires_at)
    .execute();
}
