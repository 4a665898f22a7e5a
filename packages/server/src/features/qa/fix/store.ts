import { type Generated, sql } from "kysely";
import { databaseTime } from "../../../platform/db/clock.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { TaskStatus } from "../../tasks/schema.ts";
import type { FindingRow, FindingTables } from "../findings/store.ts";
import type { QaRunStatus } from "../schema.ts";

interface FindingFixTable {
  id: Generated<number>;
  finding_id: number;
  task_id: number;
  instruction_hash: string;
  automatic: number;
  created_at: string;
}

interface QaRunTable {
  id: Generated<number>;
  status: QaRunStatus;
  started_at: string;
}

type FixTables = FindingTables & { finding_fix: FindingFixTable; qa_run: QaRunTable };

function tables(db: Db) {
  return db.withTables<FixTables>();
}

/**
 * Locks a finding until the transaction ends: writing its row locks it on both databases. Null if
 * there is none. To lock a task as well, lock it afterwards.
 */
export async function lockFinding(trx: Db, id: number): Promise<FindingRow | null> {
  const row = await tables(trx)
    .updateTable("finding")
    .set((eb) => ({ seen_count: eb.ref("seen_count") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Reopens a finding whose task is gone. */
export async function reopenFinding(trx: Db, id: number): Promise<void> {
  await tables(trx)
    .updateTable("finding")
    .set({ status: "open" })
    .where("id", "=", id)
    .where("status", "=", "queued")
    .execute();
}

/** An attempt to fix a finding. */
export interface FixRow {
  findingId: number;
  taskId: number;
  instructionHash: string;
  automatic: boolean;
  createdAt: string;
  taskStatus: TaskStatus;
}

/** The attempts to fix these findings whose tasks still exist, newest first. */
export async function listFixes(db: Db, findingIds: readonly number[]): Promise<FixRow[]> {
  if (findingIds.length === 0) return [];
  const rows = await tables(db)
    .selectFrom("finding_fix")
    .innerJoin("task", "task.id", "finding_fix.task_id")
    .selectAll("finding_fix")
    .select("task.status as task_status")
    .where("finding_fix.finding_id", "in", findingIds)
    .orderBy("finding_fix.id", "desc")
    .execute();
  return rows.map((row) => ({
    findingId: row.finding_id,
    taskId: row.task_id,
    instructionHash: row.instruction_hash,
    automatic: row.automatic === 1,
    createdAt: row.created_at,
    taskStatus: row.task_status,
  }));
}

/** Records that a task is to fix a finding. */
export async function insertFix(trx: Db, fix: Omit<FixRow, "taskStatus">): Promise<void> {
  await tables(trx)
    .insertInto("finding_fix")
    .values({
      finding_id: fix.findingId,
      task_id: fix.taskId,
      instruction_hash: fix.instructionHash,
      automatic: fix.automatic ? 1 : 0,
      created_at: fix.createdAt,
    })
    .execute();
}

/** Open findings that may be fixed unattended, most severe first. */
export async function listFixableFindings(db: Db, limit: number): Promise<FindingRow[]> {
  return tables(db)
    .selectFrom("finding")
    .selectAll()
    .where("status", "=", "open")
    .where("is_safe", "=", 1)
    .where("confidence", "=", "confirmed")
    .orderBy(sql`case severity when 'error' then 0 when 'warning' then 1 else 2 end`)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** A finding with its task. */
export type TrackedFinding = Pick<
  FindingRow,
  "id" | "status" | "task_id" | "instruction" | "last_run_id"
> & { task_status: TaskStatus | null; task_ended: string | null };

const underWay: readonly TaskStatus[] = ["queued", "claimed", "building", "needs_review"];

/** Whether a task is running or waiting. */
export const isUnderWay = (status: TaskStatus): boolean => underWay.includes(status);

/** Findings that wait for a task, and open ones whose task was restarted. */
export async function listTrackedFindings(db: Db): Promise<TrackedFinding[]> {
  return tables(db)
    .selectFrom("finding")
    .leftJoin("task", "task.id", "finding.task_id")
    .select(["finding.id", "finding.status", "finding.task_id", "finding.instruction"])
    .select(["finding.last_run_id", "task.status as task_status", "task.finished_at as task_ended"])
    .where((eb) =>
      eb.or([
        eb("finding.status", "=", "queued"),
        eb.and([eb("finding.status", "=", "open"), eb("task.status", "in", underWay)]),
      ]),
    )
    .orderBy("finding.id")
    .execute();
}

/** Our own tasks that haven't started and whose findings are all gone. */
export async function listNeedlessTasks(db: Db): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom("task")
    .select("task.id")
    .where("task.status", "=", "queued")
    .where("task.kind", "=", "qa-fix")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("finding_fix")
          .select("finding_fix.id")
          .whereRef("finding_fix.task_id", "=", "task.id")
          .where("finding_fix.automatic", "=", 1),
      ),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("finding")
          .select("finding.id")
          .whereRef("finding.task_id", "=", "task.id")
          .where("finding.status", "=", "fixed"),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("finding")
            .select("finding.id")
            .whereRef("finding.task_id", "=", "task.id")
            .where("finding.status", "!=", "fixed"),
        ),
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Forgets that a task was an attempt to fix something. */
export async function deleteFixes(db: Db, taskId: number): Promise<void> {
  await tables(db).deleteFrom("finding_fix").where("task_id", "=", taskId).execute();
}

/** Clocks on one machine differ by less, in ms. */
const maxClockSkewMs = 1000;

/** How far the database's clock (used by runs) is ahead of ours (used by tasks), in ms. */
export async function measureClockSkewMs(db: Db, now: () => number): Promise<number> {
  const before = now();
  const row = await db.selectNoFrom(databaseTime(db).as("at")).executeTakeFirstOrThrow();
  const ahead = Date.parse(row.at) - before;
  return Math.abs(ahead) < maxClockSkewMs ? 0 : ahead;
}

/** The runs started after a time, oldest first. */
export async function listRunsSince(
  db: Db,
  at: string,
): Promise<{ id: number; status: QaRunStatus; startedAt: string }[]> {
  const rows = await tables(db)
    .selectFrom("qa_run")
    .select(["id", "status", "started_at"])
    .where("started_at", ">=", at)
    .orderBy("id")
    .execute();
  return rows.map(({ id, status, started_at }) => ({ id, status, startedAt: started_at }));
}
