import { type Generated, type Selectable, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

/** A request to update the site because records have changed. Times are ISO 8601 UTC. */
interface RebuildRequestTable {
  id: Generated<number>;
  status: "pending" | "building" | "done" | "failed";
  reason: string;
  /** Of the first and the last request that were merged into it. */
  requested_at: string;
  last_requested_at: string;
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
  commit_sha: string | null;
  release_number: number | null;
}

export type RebuildRow = Selectable<RebuildRequestTable>;

type Tables = { rebuild_request: RebuildRequestTable };

/** The reason if requests with different reasons are merged. */
const severalReasons = "several changes";

/** How many ended rebuilds are kept. */
const remembered = 500;

/**
 * The same expression as in the index, without parameters; otherwise, neither database uses the
 * index.
 */
const isPending = sql<boolean>`status = 'pending'`;

/**
 * Requests a rebuild: inserts a pending row or updates the existing one. `requestedAt` may be older
 * than the row's: its wait began with the first request.
 */
export async function upsertPending(
  db: Db,
  request: { reason: string; requestedAt: string; lastRequestedAt: string },
): Promise<void> {
  const { reason, requestedAt, lastRequestedAt } = request;
  const times = { requested_at: requestedAt, last_requested_at: lastRequestedAt };
  await db
    .withTables<Tables>()
    .insertInto("rebuild_request")
    .values({ status: "pending", reason, ...times })
    .onConflict((conflict) =>
      conflict
        .column("status")
        .where(isPending)
        .doUpdateSet({
          reason: sql`case when rebuild_request.reason = excluded.reason then excluded.reason else cast(${severalReasons} as text) end`,
          requested_at: sql`case when rebuild_request.requested_at < excluded.requested_at then rebuild_request.requested_at else excluded.requested_at end`,
          last_requested_at: sql`case when rebuild_request.last_requested_at > excluded.last_requested_at then rebuild_request.last_requested_at else excluded.last_requested_at end`,
        }),
    )
    .execute();
}

/** The rows in one state, oldest first. */
export function listRebuilds(db: Db, status: RebuildRow["status"]): Promise<RebuildRow[]> {
  return db
    .withTables<Tables>()
    .selectFrom("rebuild_request")
    .selectAll()
    .where("status", "=", status)
    .orderBy("id")
    .execute();
}

/** Claims the pending row for building, in its current state; undefined if there is none. */
export function claimPending(db: Db, startedAt: string): Promise<RebuildRow | undefined> {
  return db
    .withTables<Tables>()
    .updateTable("rebuild_request")
    .set({ status: "building", started_at: startedAt })
    .where("status", "=", "pending")
    .returningAll()
    .executeTakeFirst();
}

/** How a rebuild ended. */
export interface RebuildEnd {
  status: "done" | "failed";
  finished_at: string;
  error: string | null;
  commit_sha: string | null;
  release_number: number | null;
}

/** Ends a running rebuild and deletes old rows. */
export async function endBuilding(db: Db, id: number, end: RebuildEnd): Promise<void> {
  const tables = db.withTables<Tables>();
  await tables
    .updateTable("rebuild_request")
    .set(end)
    .where("id", "=", id)
    .where("status", "=", "building")
    .execute();
  await tables
    .deleteFrom("rebuild_request")
    .where("id", "<", id - remembered)
    .where("status", "in", ["done", "failed"])
    .execute();
}

/** Makes a running rebuild pending again, merged with what is pending by now. */
export async function reopenBuilding(db: Db, row: RebuildRow): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { reason, requested_at: requestedAt, last_requested_at: lastRequestedAt } = row;
    await upsertPending(transaction, { reason, requestedAt, lastRequestedAt });
    await transaction
      .withTables<Tables>()
      .deleteFrom("rebuild_request")
      .where("id", "=", row.id)
      .execute();
  });
}

function ended(db: Db) {
  return db
    .withTables<Tables>()
    .selectFrom("rebuild_request")
    .selectAll()
    .where("status", "in", ["done", "failed"])
    .orderBy("id", "desc");
}

/** The last rebuild that has ended. */
export function lastEnded(db: Db): Promise<RebuildRow | undefined> {
  return ended(db).limit(1).executeTakeFirst();
}

/** The last rebuild that has succeeded. */
export function findLastSucceeded(db: Db): Promise<RebuildRow | undefined> {
  return ended(db).where("status", "=", "done").limit(1).executeTakeFirst();
}

/** The ID of the last rebuild that was started; 0 before the first. */
export async function lastStartedId(db: Db): Promise<number> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("rebuild_request")
    .select((eb) => eb.fn.max("id").as("id"))
    .where("status", "!=", "pending")
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** The request with this ID, or the one it was merged into. */
export function requestFrom(db: Db, id: number): Promise<RebuildRow | undefined> {
  return db
    .withTables<Tables>()
    .selectFrom("rebuild_request")
    .selectAll()
    .where("id", ">=", id)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}
