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
  /** What becomes of the new project that it makes. */
  project_status: NewProjectStatus | null;
  finding_id: number | null;
  /** JSON: ids of media. */
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

/** A task as it is stored: JSON is text, times are ISO 8601 UTC. */
export type TaskRow = Selectable<TaskTable>;
export type TaskPatch = UpdateObject<TaskTables, "task">;

export function tables(db: Db) {
  return db.withTables<TaskTables>();
}

/** Does `work` in the transaction that is open, or else in one of its own. */
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

/** What a person or a worker wants done; bounds are checked by whoever takes it in. */
export interface NewTask {
  kind: TaskKind;
  title: string;
  instruction: string;
  pageUrl: string | null;
  projectId: number | null;
  /** Asks for a new project; none unless given. */
  projectStatus?: NewProjectStatus | null;
  findingId: number | null;
  attachments: number[];
  priority: number;
  /** Who asks for it. */
  actor: string;
  /** What may go live without a review; what the owner's words say unless given. */
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

/** Keeps what a task may change without a review. */
export async function insertScope(db: Db, taskId: number, scope: TaskScope): Promise<void> {
  await tables(db)
    .insertInto("task_scope")
    .values({ task_id: taskId, scope: JSON.stringify(scope) })
    .execute();
}

/** The scopes of these tasks as JSON, by the task; those from before there were any lack one. */
export async function findScopes(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom("task_scope")
    .selectAll()
    .where("task_id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ task_id: id, scope }) => [id, scope]));
}

/** Notes what happened to a task, in words without control characters. */
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

/** What happened to a task, the oldest first. */
export async function listEvents(db: Db, id: number): Promise<TaskEvent[]> {
  return tables(db)
    .selectFrom("task_event")
    .select(["type", "message", "at"])
    .where("task_id", "=", id)
    .orderBy("id")
    .execute();
}

/** Which task is to change, and in which state it has to be for that. */
export interface TaskMatch {
  id?: number;
  from: readonly TaskStatus[];
  /** Columns that must still be as they were seen. */
  seen?: Partial<Pick<TaskRow, "run_id" | "claim_hash" | "lease_expires_at" | "expired_at">>;
}

/** The state a task goes to, with what is said of it in its history. */
export interface TaskChange {
  /** Workers alone take a task up: see claim-store.ts. */
  status: Exclude<TaskStatus, "claimed" | "building">;
  /** The name of the event where it isn't the usual one of the state. */
  event?: TaskEvent["type"];
  message: string;
  set?: TaskPatch;
  /** Is not told when it was the last that was told: what stands in the way may do so for days. */
  quiet?: boolean;
}

/** What is over when a task leaves the hands of a worker. */
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

/** A patch without control characters in its words: PostgreSQL refuses NUL, terminals obey the rest. */
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
 * Moves a task to another state as far as the states allow it, with its event and, where a person
 * has to hear of it, its notice. Belongs into a transaction; of several that try, one wins. `at` is
 * ISO 8601 UTC. Returns the task as it is now, null for a loser, who has changed nothing.
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

/** Notes an approval; null when the task doesn't wait for one. */
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

/** Names the project that a task has made. */
export async function setProject(db: Db, id: number, projectId: number): Promise<void> {
  await tables(db)
    .updateTable("task")
    .set({ project_id: projectId })
    .where("id", "=", id)
    .execute();
}

/** Puts why a task waits for a review, as JSON of its reasons. */
export async function setReview(db: Db, id: number, review: string): Promise<void> {
  await tables(db).updateTable("task").set({ review }).where("id", "=", id).execute();
}

/** Takes an approval back; returns whether there was one. */
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

/** The tasks that a person has let go live and that aren't yet, in the order of that. */
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
