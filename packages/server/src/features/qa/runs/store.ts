import { type Generated, type RawBuilder, type Selectable, sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { QaRunStatus, QaRunTrigger } from "../schema.ts";

interface QaRunTable {
  id: Generated<number>;
  trigger_kind: QaRunTrigger;
  status: QaRunStatus;
  /** The runner that is at it; null for a program that came by the command line. */
  runner_id: string | null;
  requested_by: Generated<string>;
  started_at: string;
  finished_at: string | null;
  heartbeat_at: string;
  stop_requested_at: string | null;
  /** JSON: Progress. */
  progress: string | null;
  pages: Generated<number>;
  links: Generated<number>;
  browser_pages: Generated<number>;
  is_unchanged: Generated<number>;
  /** JSON: Counts. */
  counts: Generated<string>;
  new_findings: Generated<number>;
  fixed_findings: Generated<number>;
  reopened_findings: Generated<number>;
  /** JSON: {what, why}[]. */
  skipped_checks: Generated<string>;
  summary: string | null;
  summary_by: "model" | "plain" | null;
  error: string | null;
}

type QaRunTables = { qa_run: QaRunTable };

/** A QA run as it is stored: JSON is text, times are ISO 8601 UTC of the database's clock. */
export type QaRunRow = Selectable<QaRunTable>;

function tables(db: Db) {
  return db.withTables<QaRunTables>();
}

/** Writes down that a QA run begins; null when one runs already. */
export async function insertRun(
  db: Db,
  { trigger, runnerId, by }: { trigger: QaRunTrigger; runnerId: string | null; by: string },
): Promise<QaRunRow | null> {
  const now = databaseTime(db);
  const row = await tables(db)
    .insertInto("qa_run")
    .values({
      trigger_kind: trigger,
      status: "running",
      runner_id: runnerId,
      requested_by: by,
      started_at: now,
      heartbeat_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** A QA run by its id; null when it is not kept. */
export async function findRun(db: Db, id: number): Promise<QaRunRow | null> {
  const query = tables(db).selectFrom("qa_run").selectAll().where("id", "=", id);
  return (await query.executeTakeFirst()) ?? null;
}

/** The run that is under way; there is one at most. */
export async function findRunningRun(db: Db): Promise<QaRunRow | null> {
  const query = tables(db).selectFrom("qa_run").selectAll().where("status", "=", "running");
  return (await query.executeTakeFirst()) ?? null;
}

/** The last that came to its end. */
export async function findLatestFinishedRun(db: Db): Promise<QaRunRow | null> {
  const query = tables(db).selectFrom("qa_run").selectAll().where("status", "=", "finished");
  return (await query.orderBy("id", "desc").limit(1).executeTakeFirst()) ?? null;
}

/** When the last began that read all of the site, ISO 8601; null when none is known. */
export async function findLastFullRunStart(db: Db): Promise<string | null> {
  const query = tables(db).selectFrom("qa_run").select("started_at").where("is_unchanged", "=", 0);
  const row = await query
    .where("status", "=", "finished")
    .where("runner_id", "is not", null)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.started_at ?? null;
}

export interface RunListQuery {
  status?: QaRunStatus | undefined;
  trigger?: QaRunTrigger | undefined;
  page: number;
  perPage: number;
}

/** One page of runs, the newest first, and how many there are. */
export async function listRuns(
  db: Db,
  { status, trigger, page, perPage }: RunListQuery,
): Promise<{ rows: QaRunRow[]; total: number }> {
  let base = tables(db).selectFrom("qa_run");
  if (status !== undefined) base = base.where("status", "=", status);
  if (trigger !== undefined) base = base.where("trigger_kind", "=", trigger);
  const counted = await base.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await base
    .selectAll()
    .orderBy("id", "desc")
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  return { rows, total: Number(counted.total) };
}

/** The kept runs that came to their end, the oldest first. */
export async function listFinishedRuns(
  db: Db,
): Promise<Pick<QaRunRow, "id" | "started_at" | "finished_at" | "counts">[]> {
  return tables(db)
    .selectFrom("qa_run")
    .select(["id", "started_at", "finished_at", "counts"])
    .where("status", "=", "finished")
    .orderBy("id")
    .execute();
}

/** The newest scheduled run: how long ago it began, in ms by the database's clock, and whose it is. */
export async function findLastScheduledRun(
  db: Db,
): Promise<{ ms: number; runnerId: string | null } | null> {
  const now: RawBuilder<string> = databaseTime(db);
  const row = await tables(db)
    .selectFrom("qa_run")
    .select(["started_at", "runner_id", now.as("now")])
    .where("trigger_kind", "=", "heartbeat")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  return { ms: Date.parse(row.now) - Date.parse(row.started_at), runnerId: row.runner_id };
}

/** Whether nothing was heard of a run under way for so long, by the database's clock. */
export async function isSilent(db: Db, id: number, ms: number): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("qa_run")
    .select("id")
    .where("id", "=", id)
    .where("heartbeat_at", "<=", databaseTime(db, -ms))
    .executeTakeFirst();
  return row !== undefined;
}

/** What a run under way is told when it says how far it is: null when it is its own no more. */
export interface StopSignal {
  stop: boolean;
}

/**
 * Says that a QA run is being worked on, and how far it is (JSON) where that is given; gives whether it
 * shall stop. Null when it does not run any more.
 */
export async function updateRunProgress(
  db: Db,
  id: number,
  progress: string | null,
): Promise<StopSignal | null> {
  const row = await tables(db)
    .updateTable("qa_run")
    .set({ heartbeat_at: databaseTime(db), ...(progress !== null && { progress }) })
    .where("id", "=", id)
    .where("status", "=", "running")
    .returning("stop_requested_at")
    .executeTakeFirst();
  return row ? { stop: row.stop_requested_at !== null } : null;
}

/** The same without writing anything. */
export async function readStopSignal(db: Db, id: number): Promise<StopSignal | null> {
  const row = await tables(db)
    .selectFrom("qa_run")
    .select("stop_requested_at")
    .where("id", "=", id)
    .where("status", "=", "running")
    .executeTakeFirst();
  return row ? { stop: row.stop_requested_at !== null } : null;
}

/** Asks a run under way to end; null when it does not run. */
export async function requestStop(db: Db, id: number): Promise<QaRunRow | null> {
  const row = await tables(db)
    .updateTable("qa_run")
    .set({ stop_requested_at: sql`coalesce(stop_requested_at, ${databaseTime(db)})` })
    .where("id", "=", id)
    .where("status", "=", "running")
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export interface RunEnd {
  status: Exclude<QaRunStatus, "running">;
  error?: string | null;
  set?: Partial<
    Pick<
      QaRunRow,
      | "pages"
      | "links"
      | "browser_pages"
      | "is_unchanged"
      | "counts"
      | "new_findings"
      | "fixed_findings"
      | "reopened_findings"
      | "skipped_checks"
    >
  >;
}

/**
 * Ends a run under way; returns whether it ran. `seenAt`: only when nothing was heard of it since.
 */
export async function endRun(
  trx: Db,
  id: number,
  end: RunEnd,
  { seenAt }: { seenAt?: string } = {},
): Promise<boolean> {
  let query = tables(trx)
    .updateTable("qa_run")
    .set({
      ...end.set,
      status: end.status,
      error: end.error ?? null,
      progress: null,
      finished_at: databaseTime(trx),
    })
    .where("id", "=", id)
    .where("status", "=", "running");
  if (seenAt !== undefined) query = query.where("heartbeat_at", "=", seenAt);
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1;
}

/** How many runs are kept. */
export const maxStoredRuns = 50;

/** Keeps the newest runs; what was found stays. */
export async function deleteOldRuns(trx: Db, keep: number): Promise<void> {
  const retained = tables(trx).selectFrom("qa_run").select("id").orderBy("id", "desc").limit(keep);
  await tables(trx)
    .deleteFrom("qa_run")
    .where("id", "not in", tables(trx).selectFrom(retained.as("kept")).select("id"))
    .where("status", "!=", "running")
    .execute();
}

/** Writes what is said of a QA run, unless something is said already. */
export async function writeSummary(
  db: Db,
  id: number,
  { summary, by }: { summary: string; by: "model" | "plain" },
): Promise<boolean> {
  const result = await tables(db)
    .updateTable("qa_run")
    .set({ summary, summary_by: by })
    .where("id", "=", id)
    .where("status", "=", "finished")
    .where("summary", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}
