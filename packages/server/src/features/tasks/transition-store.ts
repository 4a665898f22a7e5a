import { CompiledQuery } from "kysely";
import { cleanText } from "../../kit/text.ts";
import { dialectOf } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { TaskEvent, TaskStatus } from "./schema.ts";
import {
  inTransaction,
  insertEvent,
  type NotificationKind,
  storable,
  tables,
  type TaskPatch,
  type TaskRow,
} from "./store.ts";
import { canTransitionTask } from "./task.ts";

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

/** The states from which the task may be moved to this one. */
function startsOf({ from }: TaskMatch, status: TaskStatus): TaskStatus[] {
  return from.filter((state) => canTransitionTask(state, status));
}

function matching(db: Db, match: TaskMatch, status: TaskStatus, set: TaskPatch) {
  let query = tables(db)
    .updateTable("task")
    .set(set)
    .where("status", "in", startsOf(match, status));
  if (match.id !== undefined) query = query.where("id", "=", match.id);
  for (const [name, value] of Object.entries(match.seen ?? {})) {
    const column = name as keyof NonNullable<TaskMatch["seen"]>;
    query = value === null ? query.where(column, "is", null) : query.where(column, "=", value);
  }
  return query;
}

/** A change as it is stored: the columns, the event, and the kind of notification if there is one. */
interface StoredChange {
  set: TaskPatch;
  event: TaskEvent;
  kind: NotificationKind | undefined;
}

function storedChange(change: TaskChange, at: string): StoredChange {
  const { status, message } = change;
  const type = change.event ?? (status === "queued" ? "requeued" : status);
  return {
    set: {
      ...released,
      ...storable(change.set ?? {}),
      status,
      updated_at: at,
      finished_at: endings.has(status) ? at : null,
    },
    event: { type, message: cleanText(message, { multiline: true }), at },
    kind: notificationKindOf[status],
  };
}

/** Whether every value is one that a parameter can have, and not an expression. */
const isPlain = (set: TaskPatch) =>
  Object.values(set).every((value) => value === null || typeof value !== "object");

/**
 * Moves a task with one statement, which PostgreSQL executes as a whole: three round trips less
 * than a transaction of several. It is written as text, because composing it takes longer than
 * executing it. Returns these columns of the changed task.
 */
async function moveAtOnce<Row>(
  db: Db,
  match: TaskMatch,
  { set, event, kind }: StoredChange,
  returned: "id" | "*",
): Promise<Row | null> {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const assigned = Object.entries(set).map(
    ([name, value]) => `${name} = ${value === null ? "null" : parameter(value)}`,
  );
  const wanted = [
    `status in (${startsOf(match, set.status as TaskStatus)
      .map(parameter)
      .join()})`,
  ];
  if (match.id !== undefined) wanted.push(`id = ${parameter(match.id)}`);
  for (const [name, value] of Object.entries(match.seen ?? {})) {
    wanted.push(value === null ? `${name} is null` : `${name} = ${parameter(value)}`);
  }
  const moved = `with moved as (
    update task set ${assigned.join()} where ${wanted.join(" and ")} returning ${returned}
  ), event as (
    insert into task_event (task_id, type, message, at)
    select id, ${[event.type, event.message, event.at].map(parameter).join()} from moved
  )`;
  const notification =
    kind === undefined
      ? ""
      : `, notification as (
    insert into task_notification (task_id, kind, created_at)
    select id, ${[kind, event.at].map(parameter).join()} from moved
  )`;
  const text = `${moved}${notification} select * from moved`;
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows[0] ?? null;
}

async function moveInSteps(
  trx: Db,
  match: TaskMatch,
  change: TaskChange,
  { set, event, kind }: StoredChange,
): Promise<TaskRow | null> {
  const row = await matching(trx, match, change.status, set).returningAll().executeTakeFirst();
  if (!row) return null;
  if (!change.quiet || !(await isLastEvent(trx, row.id, event)))
    await insertEvent(trx, row.id, event);
  if (kind) await insertNotification(trx, row.id, kind, event.at);
  return row;
}

async function move(
  db: Db,
  match: TaskMatch,
  { change, at, returned }: { change: TaskChange; at: string; returned: "id" | "*" },
): Promise<Pick<TaskRow, "id"> | null> {
  const stored = storedChange(change, at);
  if (dialectOf(db) === "postgres" && !change.quiet && isPlain(stored.set)) {
    return moveAtOnce(db, match, stored, returned);
  }
  return inTransaction(db, (trx) => moveInSteps(trx, match, change, stored));
}

/**
 * Moves a task to another state if the transition is allowed, with its event and, if a person needs
 * to know, its notification: in the transaction of `db`, or in its own. Of concurrent callers, one
 * wins. `at` is ISO 8601 UTC. Returns the changed task; null if nothing was changed.
 */
export async function moveTask(
  db: Db,
  match: TaskMatch,
  change: TaskChange,
  at: string,
): Promise<TaskRow | null> {
  return (await move(db, match, { change, at, returned: "*" })) as TaskRow | null;
}

/** Like `moveTask`; returns only whether the task was changed, which is faster. */
export async function hasMoved(
  db: Db,
  match: TaskMatch,
  change: TaskChange,
  at: string,
): Promise<boolean> {
  return (await move(db, match, { change, at, returned: "id" })) !== null;
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
