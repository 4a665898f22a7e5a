import type { Generated, Selectable, UpdateObject } from "kysely";
import { cleanText } from "../../kit/text.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { NewProjectStatus, TaskEvent, TaskKind, TaskScope, TaskStatus } from "./schema.ts";
import { canTransitionTask } from "./task.ts";

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

async function isLastEvent(db: Db, taskId: number, event: TaskEvent): Promise<boolean> {
  const last = await tables(db)
    .selectFrom("task_event")
    .select(["type", "message"])
    .where("task_id", "=", taskId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return (
    last?.type === event.type && last.message === cleanText(event.message, { multiline: true })
  );
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

/** Which task to change, and the states in which it may be changed. */
export interface TaskMatch {
  id?: number;
  from: readonly TaskStatus[];
  /** Columns that must still have the values read before. */
  seen?: Partial<Pick<TaskRow, "run_id" | "claim_hash" | "lease_expires_at" | "expired_at">>;
}

/** The task's new state, and its event in the history. */
export interface TaskChange {
  /** Only workers claim tasks: see claim-store.ts. */
  status: Exclude<TaskStatus, "claimed" | "building">;
  /** The type of the event if it isn't the state's default. */
  event?: TaskEvent["type"];
  message: string;
  set?: TaskPatch;
  /** Skips the event if it equals the last one: an obstacle may last for days. */
  quiet?: boolean;
}

/** Columns that are reset when a worker releases a task. */
const released = {
  claimed_by: null,
  claim_hash: null,
  lease_ms: null,
  lease_expires_at: null,
  expired_at: null,
} as const satisfies TaskPatch;

const endings: ReadonlySet<TaskStatus> = new Set(["published", "reverted", "failed", "cancelled"]);
const notificationKindOf: Partial<Record<TaskStatus, NotificationKind>> = {
  needs_review: "needs_review",
  reverted: "failed",
  failed: "failed",
};

/**
 * A patch without control characters in its texts: PostgreSQL refuses NUL, and terminals interpret
 * the others.
 */
function storable(patch: TaskPatch): TaskPatch {
  const clean = { ...patch };
  for (const name of ["error", "waiting", "approved_by"] as const) {
    const text = clean[name];
    if (typeof text === "string") clean[name] = cleanText(text, { multiline: true });
  }
  return clean;
}

function matching(db: Db, match: TaskMatch, status: TaskStatus, set: TaskPatch) {
  const from = match.from.filter((state) => canTransitionTask(state, status));
  let query = tables(db).updateTable("task").set(set).where("status", "in", from);
  if (match.id !== undefined) query = query.where("id", "=", match.id);
  for (const [name, value] of Object.entries(match.seen ?? {})) {
    const column = name as keyof NonNullable<TaskMatch["seen"]>;
    query = value === null ? query.where(column, "is", null) : query.where(column, "=", value);
  }
  return query;
}

/**
 * Moves a task to another state if the transition is allowed, with its event and, if a person needs
 * to know, its notification. Call in a transaction; of concurrent callers, one wins. `at` is ISO
 * 8601 UTC. Returns the changed task; null if nothing was changed.
 */
export async function moveTask(
  trx: Db,
  match: TaskMatch,
  change: TaskChange,
  at: string,
): Promise<TaskRow | null> {
  const { status, message } = change;
  const row = await matching(trx, match, status, {
    ...released,
    ...storable(change.set ?? {}),
    status,
    updated_at: at,
    finished_at: endings.has(status) ? at : null,
  })
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  const type = change.event ?? (status === "queued" ? "requeued" : status);
  const event = { type, message, at };
  if (!change.quiet || !(await isLastEvent(trx, row.id, event)))
    await insertEvent(trx, row.id, event);
  const kind = notificationKindOf[status];
  if (kind) await insertNotification(trx, row.id, kind, at);
  return row;
}

async function insertNotification(
  trx: Db,
  taskId: number,
  kind: NotificationKind,
  at: string,
): Promise<void> {
  await tables(trx)
    .insertInto("task_notification")
    .values({ task_id: taskId, kind, created_at: at })
    .execute();
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
