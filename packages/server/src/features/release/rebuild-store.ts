import { type Generated, type Selectable, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

/** One time that the records had changed and the site was to follow. Times are ISO 8601 UTC. */
interface RebuildRequestTable {
  id: Generated<number>;
  status: "pending" | "building" | "done" | "failed";
  reason: string;
  /** Of the first and of the last request that it stands for. */
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

/** What is said when requests with different reasons become one. */
const severalReasons = "several changes";

/** How many ended rebuilds are remembered. */
const remembered = 500;

/** The index's own words, with nothing bound: else neither database finds the index by them. */
const isPending = sql<boolean>`status = 'pending'`;

/**
 * Asks for a rebuild: a new pending row, or the one that is there, moved on. `requestedAt` may be
 * older than what is there: the row's wait began with the first request.
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

/** Takes the pending row for building, as it is at that moment; undefined when there is none. */
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

/** Ends a rebuild that is being built, and forgets those long past. */
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

/** Makes a rebuild that was being built pending again, together with what is pending by now. */
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

/** The last rebuild that was taken up, by its id; 0 before the first. */
export async function lastStartedId(db: Db): Promise<number> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("rebuild_request")
    .select((eb) => eb.fn.max("id").as("id"))
    .where("status", "!=", "pending")
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** The request with this id, or the one that took its place. */
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
