import type { Db } from "../../platform/db/connect.ts";
import type { AgentRole } from "../agent/agent.ts";
import type { Run, RunStatus } from "./schema.ts";

/** The task that a run executes. */
export type RunTask = NonNullable<Run["task"]>;

/** The role of a run's agent: the Web Designer for tasks, the Editor for people. */
export function roleOf(task: RunTask | null): AgentRole {
  return task === null ? "editor" : "designer";
}

interface RunTaskTable {
  run_id: string;
  task_id: number;
  attempt: number;
}

function tables(db: Db) {
  return db.withTables<{
    run_task: RunTaskTable;
    run: { id: string; status: RunStatus; artifact_sha: string | null };
  }>();
}

/** Stores which task a run is for; idempotent. */
export async function insertRunTask(db: Db, runId: string, task: RunTask): Promise<void> {
  await tables(db)
    .insertInto("run_task")
    .values({ run_id: runId, task_id: task.id, attempt: task.attempt })
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .execute();
}

/** The tasks of those of these runs that have one. */
export async function listRunTasks(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, RunTask>> {
  if (runIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("run_task")
    .selectAll()
    .where("run_id", "in", runIds)
    .execute();
  return new Map(rows.map((row) => [row.run_id, { id: row.task_id, attempt: row.attempt }]));
}

export async function findRunTask(db: Db, runId: string): Promise<RunTask | null> {
  return (await listRunTasks(db, [runId])).get(runId) ?? null;
}

/**
 * Finished runs of tasks that have left something: a workspace to continue from, or an artifact
 * that nobody can view any more.
 */
export async function listTaskLeftovers(
  db: Db,
): Promise<{ id: string; status: RunStatus; artifactSha: string | null }[]> {
  const rows = await tables(db)
    .selectFrom("run")
    .innerJoin("run_task", "run_task.run_id", "run.id")
    .select(["run.id", "run.status", "run.artifact_sha"])
    .where((eb) =>
      eb.or([
        eb("run.status", "=", "interrupted"),
        eb.and([
          eb("run.status", "in", ["discarded", "cancelled", "failed"]),
          eb("run.artifact_sha", "is not", null),
        ]),
      ]),
    )
    .execute();
  return rows.map((row) => ({ id: row.id, status: row.status, artifactSha: row.artifact_sha }));
}

/** The status of the project that a run creates. */
export type NewProjectStatus = "draft" | "published";

/** Columns of `tasks` about the project that a task creates or is about. */
type TaskProjectTables = {
  run_task: RunTaskTable;
  task: {
    id: number;
    kind: string;
    project_id: number | null;
    project_status: NewProjectStatus | null;
  };
};

/** The project that a run is about, according to its task. */
export interface TaskProject {
  /** The status of the project that the run is to create; null for any other run. */
  newProject: NewProjectStatus | null;
  /** The only stored project whose record the run may change; null for any other run. */
  onlyProjectId: number | null;
}

/**
 * The project that a run creates or is restricted to. A task also names its new project once it
 * exists.
 */
export async function findTaskProject(db: Db, runId: string): Promise<TaskProject> {
  const row = await db
    .withTables<TaskProjectTables>()
    .selectFrom("run_task")
    .innerJoin("task", "task.id", "run_task.task_id")
    .select(["task.kind", "task.project_id", "task.project_status"])
    .where("run_task.run_id", "=", runId)
    .executeTakeFirst();
  const newProject = row?.project_status ?? null;
  const isBound = row?.kind === "project" && newProject === null;
  return { newProject, onlyProjectId: isBound ? row.project_id : null };
}
