import type { Selectable } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { type NotificationOutcome, type TaskTables, tables } from "../store.ts";

export type TaskNotification = Selectable<TaskTables["task_notification"]>;

/** Unclaimed notifications, oldest first. */
export async function listDueNotifications(db: Db): Promise<TaskNotification[]> {
  return tables(db)
    .selectFrom("task_notification")
    .selectAll()
    .where("processed_at", "is", null)
    .orderBy("id")
    .limit(20)
    .execute();
}

/** Claims a notification; of concurrent callers, one wins. Returns whether this one did. */
export async function claimNotification(db: Db, id: number, at: string): Promise<boolean> {
  const result = await tables(db)
    .updateTable("task_notification")
    .set({ processed_at: at })
    .where("id", "=", id)
    .where("processed_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Whether the task has a newer notification than this one. */
export async function hasNewerNotification(
  db: Db,
  { id, task_id }: TaskNotification,
): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("task_notification")
    .select("id")
    .where("task_id", "=", task_id)
    .where("id", ">", id)
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveNotificationOutcome(
  db: Db,
  id: number,
  outcome: NotificationOutcome,
): Promise<void> {
  await tables(db).updateTable("task_notification").set({ outcome }).where("id", "=", id).execute();
}
