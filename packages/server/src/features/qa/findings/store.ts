import { type Generated, type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { TaskTables } from "../../tasks/store.ts";
import type { Confidence, Scope, Severity } from "vitrine-qa/src/finding.ts";
import type { FindingStatus } from "../schema.ts";

export interface FindingTable {
  id: Generated<number>;
  fingerprint: string;
  check_id: string;
  category: string;
  scope: Scope;
  severity: Severity;
  critical: number;
  confidence: Confidence;
  engine: string;
  page_url: string;
  target: string | null;
  message: string;
  /** JSON: Evidence. */
  evidence: string;
  /** JSON: Occurrence[]. */
  occurrences: string;
  occurrence_count: number;
  page_count: number;
  is_safe: number;
  status: FindingStatus;
  instruction: string | null;
  task_id: number | null;
  ignore_id: number | null;
  exempt: Generated<number>;
  on_visit: number;
  reporter: string | null;
  first_seen_at: string;
  last_seen_at: string;
  fixed_at: string | null;
  seen_count: number;
  first_run_id: number;
  last_run_id: number;
}

/** How a QA run involved a finding. */
export type RunMark = "new" | "seen" | "fixed" | "reopened";

export interface FindingRunTable {
  run_id: number;
  finding_id: number;
  state: RunMark;
}

export interface IgnoreTable {
  id: Generated<number>;
  kind: "finding" | "rule" | "baseline";
  fingerprint: string | null;
  check_id: string | null;
  page_url: string | null;
  reason: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
}

export type FindingTables = TaskTables & {
  finding: FindingTable;
  finding_run: FindingRunTable;
  finding_ignore: IgnoreTable;
};

/** A stored finding: JSON is text, times are ISO 8601 UTC, booleans are 1 and 0. */
export type FindingRow = Selectable<FindingTable>;
export type NewFinding = Omit<Insertable<FindingTable>, "id" | "exempt">;
export type IgnoreRow = Selectable<IgnoreTable>;

/** A finding with the status of its task and its ignore rule. */
export type FindingDetail = FindingRow & {
  task_status: TaskTables["task"]["status"] | null;
  task_error: string | null;
  ignore_kind: IgnoreRow["kind"] | null;
  ignore_reason: string | null;
  ignore_by: string | null;
  ignore_at: string | null;
  ignore_until: string | null;
};

export function tables(db: Db) {
  return db.withTables<FindingTables>();
}

export function details(db: Db) {
  return tables(db)
    .selectFrom("finding")
    .leftJoin("task", "task.id", "finding.task_id")
    .leftJoin("finding_ignore", "finding_ignore.id", "finding.ignore_id")
    .selectAll("finding")
    .select([
      "task.status as task_status",
      "task.error as task_error",
      "finding_ignore.kind as ignore_kind",
      "finding_ignore.reason as ignore_reason",
      "finding_ignore.created_by as ignore_by",
      "finding_ignore.created_at as ignore_at",
      "finding_ignore.expires_at as ignore_until",
    ]);
}

/** A finding with its task's status and its ignore rule; null if there is none. */
export async function findFinding(db: Db, id: number): Promise<FindingDetail | null> {
  return (await details(db).where("finding.id", "=", id).executeTakeFirst()) ?? null;
}

/** The first findings with this mark of a QA run, in their current state. */
export async function listMarkedFindings(
  db: Db,
  runId: number,
  state: RunMark,
  limit: number,
): Promise<FindingRow[]> {
  return tables(db)
    .selectFrom("finding")
    .innerJoin("finding_run", "finding_run.finding_id", "finding.id")
    .selectAll("finding")
    .where("run_id", "=", runId)
    .where("state", "=", state)
    .where("status", "!=", "ignored")
    .orderBy(sql`case severity when 'error' then 0 when 'warning' then 1 else 2 end`)
    .orderBy("finding.id")
    .limit(limit)
    .execute();
}

/** Assigns an open finding to a task; returns whether it was open. */
export async function queueFinding(
  trx: Db,
  id: number,
  { taskId, instruction }: { taskId: number; instruction: string | null },
): Promise<boolean> {
  const result = await tables(trx)
    .updateTable("finding")
    .set({ status: "queued", task_id: taskId, instruction })
    .where("id", "=", id)
    .where("status", "=", "open")
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/**
 * Reopens findings of a task without a result; returns their number. Findings that have changed in
 * the meantime stay.
 */
export async function releaseFindings(trx: Db, taskId: number): Promise<number> {
  const result = await tables(trx)
    .updateTable("finding")
    .set({ status: "open" })
    .where("task_id", "=", taskId)
    .where("status", "=", "queued")
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
