import type { Db } from "../../../platform/db/connect.ts";

export type NotificationOutcome = "seen" | "emailed" | "logged" | "failed";

interface RunNotificationTable {
  run_id: string;
  due_at: string;
  processed_at: string | null;
  outcome: NotificationOutcome | null;
}

function tables(db: Db) {
  return db.withTables<{
    run_notification: RunNotificationTable;
    run: { id: string; status: string; kind: string };
    run_task: { run_id: string };
    run_request: { run_id: string; origin_run_id: string | null };
  }>();
}

/**
 * Ready edits without a notification, because a process was killed in between. Runs of tasks are
 * left out unless a person continued one; tasks have their own notifications.
 */
export async function listRunsWithoutNotification(db: Db): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("run")
    .leftJoin("run_notification", "run_notification.run_id", "run.id")
    .leftJoin("run_task", "run_task.run_id", "run.id")
    .leftJoin("run_request", "run_request.run_id", "run.id")
    .select("run.id")
    .where("run.status", "=", "preview_ready")
    .where("run.kind", "=", "edit")
    .where("run_notification.run_id", "is", null)
    .where(({ or, eb }) =>
      or([eb("run_task.run_id", "is", null), eb("run_request.origin_run_id", "is not", null)]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Schedules a notification about a run, ISO 8601 UTC; at most one per run. */
export async function insertNotification(db: Db, runId: string, dueAt: string): Promise<void> {
  await tables(db)
    .insertInto("run_notification")
    .values({ run_id: runId, due_at: dueAt, processed_at: null, outcome: null })
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .execute();
}

/** Runs with a due, unclaimed notification, oldest first. */
export async function listDueNotifications(db: Db, now: string): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("run_notification")
    .select("run_id")
    .where("processed_at", "is", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(20)
    .execute();
  return rows.map((row) => row.run_id);
}

/** Claims a notification; of concurrent callers, one wins. Returns whether this one did. */
export async function claimNotification(db: Db, runId: string, at: string): Promise<boolean> {
  const result = await tables(db)
    .updateTable("run_notification")
    .set({ processed_at: at })
    .where("run_id", "=", runId)
    .where("processed_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export async function saveNotificationOutcome(
  db: Db,
  runId: string,
  outcome: NotificationOutcome,
): Promise<void> {
  await tables(db)
    .updateTable("run_notification")
    .set({ outcome })
    .where("run_id", "=", runId)
    .execute();
}
