import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

type Tables = {
  run: { status: string };
  task: { status: string; created_at: string; not_before: string | null };
  finding: { status: string; severity: string };
  qa_run: { status: string; finished_at: string | null };
  rebuild_request: { id: number; status: string };
  stored_last_backup: { created_at: string };
};

const tables = (db: Db) => db.withTables<Tables>();
const count = sql<number>`count(*)`.as("count");

/** How many rows have this status. */
export interface StatusCount {
  status: string;
  count: number;
}

const numbers = (rows: StatusCount[]): StatusCount[] =>
  rows.map(({ status, count: number }) => ({ status, count: Number(number) }));

export async function countRunsByStatus(db: Db): Promise<StatusCount[]> {
  const query = tables(db).selectFrom("run").select(["status", count]).groupBy("status");
  return numbers(await query.execute());
}

export async function countTasksByStatus(db: Db): Promise<StatusCount[]> {
  const query = tables(db).selectFrom("task").select(["status", count]).groupBy("status");
  return numbers(await query.execute());
}

/** When the oldest waiting task was created; null if none waits. */
export async function findOldestQueuedTask(db: Db): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("task")
    .select(({ fn }) => fn.min("created_at").as("at"))
    .where("status", "=", "queued")
    .executeTakeFirstOrThrow();
  return row.at;
}

/** How many findings are not fixed, ignored ones apart. */
export async function countFindingsBySeverity(
  db: Db,
): Promise<{ severity: string; count: number }[]> {
  const rows = await tables(db)
    .selectFrom("finding")
    .select(["severity", count])
    .where("status", "in", ["open", "queued"])
    .groupBy("severity")
    .execute();
  return rows.map(({ severity, count: number }) => ({ severity, count: Number(number) }));
}

/** When the last backup of an instance with several nodes was made; null if there is none. */
export async function findLastBackup(db: Db): Promise<string | null> {
  const query = tables(db).selectFrom("stored_last_backup").select("created_at");
  return (await query.executeTakeFirst())?.created_at ?? null;
}

/** When the last QA run finished; null before the first. */
export async function findLastQaRun(db: Db): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("qa_run")
    .select(({ fn }) => fn.max("finished_at").as("at"))
    .where("status", "=", "finished")
    .executeTakeFirstOrThrow();
  return row.at;
}

/** Whether the last rebuild that ended has failed. */
export async function hasRebuildFailed(db: Db): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("rebuild_request")
    .select("status")
    .where("status", "in", ["done", "failed"])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.status === "failed";
}
