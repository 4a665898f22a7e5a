import type { Generated, Selectable, UpdateObject } from "kysely";
import { cleanText } from "../../kit/text.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { NewProjectStatus, TaskEvent, TaskKind, TaskScope, TaskStatus } from "./schema.ts";

export interface TaskTable {
  id: Generated<number>;
  kind: TaskKind;
  title: string;
  instruction: string;
  page_url: string | null;
  project_id: number | null;
  /** The status of the project that it creates. */
  project_status: NewProjectStatus | null;
  finding_id: number | null;
  /** JSON: IDs of media. */
  attachments: string;
  priority: number;
  status: TaskStatus;
  attempts: number;
  not_before: string | null;
  waiting: string | null;
  claimed_by: string | null;
  claim_hash: string | null;
  lease_ms: number | null;
  lease_expires_at: string | null;
  expired_at: string | null;
  run_id: string | null;
  commit_sha: string | null;
  error: string | null;
  /** JSON: ReviewReason[]. */
  review: string;
  approved_at: string | null;
  approved_by: string | null;
  actor: string;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  finished_at: string | null;
}

interface TaskEventTable {
  id: Generated<number>;
  task_id: number;
  type: TaskEvent["type"];
  message: string;
  at: string;
}

export type NotificationKind = "needs_review" | "failed";
export type NotificationOutcome = "seen" | "emailed" | "logged" | "failed";

interface TaskNotificationTable {
  id: Generated<number>;
  task_id: number;
  kind: NotificationKind;
  created_at: string;
  processed_at: string | null;
  outcome: NotificationOutcome | null;
}

interface TaskScopeTable {
  task_id: number;
  /** JSON: TaskScope. */
  scope: string;
}

export type TaskTables = {
  task: TaskTable;
  task_scope: TaskScopeTable;
  task_event: TaskEventTable;
  task_notification: TaskNotificationTable;
};

/** A stored task: JSON is text, times are ISO 8601 UTC. */
export type TaskRow = Selectable<TaskTable>;
export type TaskPatch = UpdateObject<TaskTables, "task">;

export function tables(db: Db) {
  return db.withTables<TaskTables>();
}

/** Runs `work` in the current transaction, or in a new one. */
export function inTransaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

export async function findTask(db: Db, id: number): Promise<TaskRow | null> {
  const row = await tables(db)
    .selectFrom("task")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** A request by a person or a worker; the caller has validated its limits. */
export interface NewTask {
  kind: TaskKind;
  title: string;
  instruction: string;
  pageUrl: string | null;
  projectId: number | null;
  /** Asks for a new project; by default, none. */
  projectStatus?: NewProjectStatus | null;
  findingId: number | null;
  attachments: number[];
  priority: number;
  /** Who asks for it. */
  actor: string;
  /** What may go live without review; by default derived from the owner's words. */
  scope?: TaskScope;
}

export async function insertTask(db: Db, task: NewTask, at: string): Promise<TaskRow> {
  const { kind, priority } = task;
  return tables(db)
    .insertInto("task")
    .values({
      kind,
      priority,
      title: cleanText(task.title),
      instruction: cleanText(task.instruction, { multiline: true }),
      page_url: task.pageUrl,
      project_id: task.projectId,
      project_status: task.projectStatus ?? null,
      finding_id: task.findingId,
      attachments: JSON.stringify(task.attachments),
      actor: cleanText(task.actor),
      status: "queued",
      attempts: 0,
      review: "[]",
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores what a task may change without review. */
export async function insertScope(db: Db, taskId: number, scope: TaskScope): Promise<void> {
  await tables(db)
    .insertInto("task_scope")
    .values({ task_id: taskId, scope: JSON.stringify(scope) })
    .execute();
}

/** The scopes of these tasks as JSON, by task ID; old tasks have none. */
export async function findScopes(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("task_scope")
    .selectAll()
    .where("task_id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ task_id: id, scope }) => [id, scope]));
}

/** Adds an event to a task's history, without control characters. */
export async function insertEvent(db: Db, taskId: number, event: TaskEvent): Promise<void> {
  const message = cleanText(event.message, { multiline: true });
  await tables(db)
    .insertInto("task_event")
    .values({ task_id: taskId, type: event.type, message, at: event.at })
    .execute();
}

/** A task's history, oldest first. */
export async function listEvents(db: Db, id: number): Promise<TaskEvent[]> {
  return tables(db)
    .selectFrom("task_event")
    .select(["type", "message", "at"])
    .where("task_id", "=", id)
    .orderBy("id")
    .execute();
}

/**
 * A patch without control characters in its texts: PostgreSQL refuses NUL, and terminals interpret
 * the others.
 */
export function storable(patch: TaskPatch): TaskPatch {
  const clean = { ...patch };
  for (const name of ["error", "waiting", "approved_by"] as const) {
    const text = clean[name];
    if (typeof text === "string") clean[name] = cleanText(text, { multiline: true });
  }
  return clean;
}

/** Stores an approval; null if the task doesn't need one. */
export async function markApproved(
  trx: Db,
  id: number,
  { by, at }: { by: string; at: string },
): Promise<TaskRow | null> {
  const row = await tables(trx)
    .updateTable("task")
    .set(storable({ approved_at: at, approved_by: by, error: null, updated_at: at }))
    .where("id", "=", id)
    .where("status", "=", "needs_review")
    .where("approved_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Stores the project that a task has created. */
export async function setProject(db: Db, id: number, projectId: number): Promise<void> {
  await tables(db)
    .updateTable("task")
    .set({ project_id: projectId })
    .where("id", "=", id)
    .execute();
}

/** Stores why a task needs review, as JSON. */
export async function setReview(db: Db, id: number, review: string): Promise<void> {
  await tables(db).updateTable("task").set({ review }).where("id", "=", id).execute();
}

/** Withdraws an approval; returns whether there was one. */
export async function unmarkApproved(
  trx: Db,
  id: number,
  error: string,
  at: string,
): Promise<boolean> {
  const result = await tables(trx)
    .updateTable("task")
    .set(storable({ approved_at: null, approved_by: null, error, updated_at: at }))
    .where("id", "=", id)
    .where("status", "=", "needs_review")
    .where("approved_at", "is not", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Approved tasks that aren't published yet, in the order of approval. */
export async function listApprovedTasks(db: Db): Promise<TaskRow[]> {
  return tables(db)
    .selectFrom("task")
    .selectAll()
    .where("status", "=", "needs_review")
    .where("approved_at", "is not", null)
    .orderBy("approved_at")
    .orderBy("id")
    .execute();
}
