import { type Generated, type RawBuilder, type Selectable, sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { QaRunStatus, QaRunTrigger } from "../schema.ts";

interface QaRunTable {
  id: Generated<number>;
  trigger_kind: QaRunTrigger;
  status: QaRunStatus;
  /** The executing runner; null for an external program. */
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

/** A stored QA run: JSON is text, times are ISO 8601 UTC by the database's clock. */
export type QaRunRow = Selectable<QaRunTable>;

function tables(db: Db) {
  return db.withTables<QaRunTables>();
}

/** Inserts a running QA run; null if one is running already. */
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

/** A QA run by its ID; null if it isn't stored. */
export async function findRun(db: Db, id: number): Promise<QaRunRow | null> {
  const query = tables(db).selectFrom("qa_run").selectAll().where("id", "=", id);
  return (await query.executeTakeFirst()) ?? null;
}

/** The running QA run; at most one exists. */
export async function findRunningRun(db: Db): Promise<QaRunRow | null> {
  const query = tables(db).selectFrom("qa_run").selectAll().where("status", "=", "running");
  return (await query.executeTakeFirst()) ?? null;
}

/** The last completed run. */
export async function findLatestFinishedRun(db: Db): Promise<QaRunRow | null> {
  const query = tables(db).selectFrom("qa_run").selectAll().where("status", "=", "finished");
  return (await query.orderBy("id", "desc").limit(1).executeTakeFirst()) ?? null;
}

/** When the last run that read the whole site started, ISO 8601; null if unknown. */
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

/** A page of runs, newest first, and their total number. */
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

/** The stored completed runs, oldest first. */
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

/** The newest scheduled run: its age in ms by the database's clock, and its runner. */
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

/** Whether a running run has been silent for this long, by the database's clock. */
export async function isSilent(db: Db, id: number, ms: number): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("qa_run")
    .select("id")
    .where("id", "=", id)
    .where("heartbeat_at", "<=", databaseTime(db, -ms))
    .executeTakeFirst();
  return row !== undefined;
}

/** The answer to a progress report; null if the run no longer belongs to the caller. */
export interface StopSignal {
  stop: boolean;
}

/**
 * Reports that a QA run is being executed, with its progress (JSON) if given; returns whether to
 * stop. Null if it is no longer running.
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

/** The same without writing. */
export async function readStopSignal(db: Db, id: number): Promise<StopSignal | null> {
  const row = await tables(db)
    .selectFrom("qa_run")
    .select("stop_requested_at")
    .where("id", "=", id)
    .where("status", "=", "running")
    .executeTakeFirst();
  return row ? { stop: row.stop_requested_at !== null } : null;
}

/** Asks a running run to stop; null if it isn't running. */
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
 * Ends a running run; returns whether it was running. `seenAt`: only if it has been silent since.
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

/** The number of stored runs. */
export const maxStoredRuns = 50;

/** Deletes all but the newest runs; findings stay. */
export async function deleteOldRuns(trx: Db, keep: number): Promise<void> {
  const retained = tables(trx).selectFrom("qa_run").select("id").orderBy("id", "desc").limit(keep);
  await tables(trx)
    .deleteFrom("qa_run")
    .where("id", "not in", tables(trx).selectFrom(retained.as("kept")).select("id"))
    .where("status", "!=", "running")
    .execute();
}

/** Stores the summary of a QA run, unless there is one. */
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
