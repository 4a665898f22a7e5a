import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { RunStatus } from "../../runs/schema.ts";

/** A task's run as shown on its card. */
export interface TaskRunRow {
  task_id: number;
  attempt: number;
  id: string;
  status: RunStatus;
  files_changed: string;
  summary: string;
  error: string | null;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  artifact_sha: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** The last event of a run that shows its progress. */
export interface StepRow {
  run_id: string;
  type: string;
  data: string;
}

type Tables = {
  run_task: { run_id: string; task_id: number; attempt: number };
  run: Omit<TaskRunRow, "task_id" | "attempt">;
};

const columns = [
  "run_task.task_id",
  "run_task.attempt",
  "run.id",
  "run.status",
  "run.files_changed",
  "run.summary",
  "run.error",
  "run.model",
  "run.input_tokens",
  "run.output_tokens",
  "run.cost",
  "run.artifact_sha",
  "run.created_at",
  "run.started_at",
  "run.finished_at",
] as const;

function ofRuns(db: Db) {
  return db
    .withTables<Tables>()
    .selectFrom("run_task")
    .innerJoin("run", "run.id", "run_task.run_id")
    .select(columns);
}

/**
 * The newest run of each of these tasks; those without one are left out. The run that a task names
 * takes precedence, because start times can be wrong after the clock was set back.
 */
export async function listNewestRuns(
  db: Db,
  tasks: readonly { id: number; run_id: string | null }[],
): Promise<Map<number, TaskRunRow>> {
  const named = tasks.flatMap((task) => task.run_id ?? []);
  const others = tasks.filter((task) => task.run_id === null).map((task) => task.id);
  const rows = await Promise.all([
    named.length === 0 ? [] : ofRuns(db).where("run_task.run_id", "in", named).execute(),
    others.length === 0
      ? []
      : ofRuns(db)
          .where("run_task.task_id", "in", others)
          .where((eb) =>
            eb(
              "run_task.run_id",
              "=",
              eb
                .selectFrom("run_task as other")
                .select((q) => q.fn.max("other.run_id").as("newest"))
                .whereRef("other.task_id", "=", "run_task.task_id"),
            ),
          )
          .execute(),
  ]);
  return new Map(rows.flat().map((row) => [row.task_id, row]));
}

/** The runs of a task, newest first, at most 100. */
export function listTaskRuns(db: Db, taskId: number): Promise<TaskRunRow[]> {
  return ofRuns(db)
    .where("run_task.task_id", "=", taskId)
    .orderBy("run.id", "desc")
    .limit(100)
    .execute();
}

/** How many of a run's last events are searched for its progress. */
const latestEvents = 400;

/** The events that show what a run is doing. */
const stepEventTypes = [
  "tool.call",
  "build.started",
  "build.failed",
  "checks.started",
  "checks.done",
];

/** The last progress event of each of these runs; only the last events are read. */
export async function listLatestSteps(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, StepRow>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await sql<StepRow>`
    select event.run_id, event.type, event.data
    from run join run_event event on event.run_id = run.id and event.seq = (
      select told.seq from run_event told
      where told.run_id = run.id and told.type in (${sql.join(stepEventTypes)})
        and told.seq > (select max(last.seq) from run_event last where last.run_id = run.id) - ${sql.lit(latestEvents)}
      order by told.seq desc limit 1
    )
    where run.id in (${sql.join(runIds)})`.execute(db);
  return new Map(rows.map((row) => [row.run_id, row]));
}

/** Whether this commit already belongs to a task or a run. */
export async function isCommitUsed(db: Db, commit: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from task where commit_sha = ${commit}
    union all select 1 from run where commit_sha = ${commit} limit 1`.execute(db);
  return rows.length > 0;
}

/** Counts of the queue, by the database's clock. */
export interface QueueCount {
  /** Waiting tasks, including those that aren't due yet. */
  queued: number;
  /** Tasks that could start now. */
  due: number;
  /** Tasks that could have started ever since `since`. */
  overdue: number;
  /** Running tasks. */
  active: number;
}

/** Counts the queue: `now` and `since` are SQL expressions of the database's time. */
export async function countQueue(
  db: Db,
  { now, since }: { now: ReturnType<typeof sql<string>>; since: ReturnType<typeof sql<string>> },
): Promise<QueueCount> {
  const { rows } = await sql<Record<keyof QueueCount, number | string | null>>`
    select count(*) as queued,
      sum(case when not_before is null or not_before <= ${now} then 1 else 0 end) as due,
      sum(case when coalesce(not_before, updated_at) <= ${since} then 1 else 0 end) as overdue,
      (select count(*) from task where status in ('claimed', 'building')) as active
    from task where status = 'queued'`.execute(db);
  const [row] = rows;
  const number = (value: number | string | null | undefined) => Number(value ?? 0);
  return {
    queued: number(row?.queued),
    due: number(row?.due),
    overdue: number(row?.overdue),
    active: number(row?.active),
  };
}
