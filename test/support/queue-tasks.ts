import { sql } from "kysely";
import type { RunStatus } from "../../packages/server/src/features/runs/schema.ts";
import { queueTask, type NewTask } from "../../packages/server/src/features/tasks/queue/queue.ts";
import type { TaskStatus } from "../../packages/server/src/features/tasks/schema.ts";
import {
  type TaskPatch,
  type TaskRow,
  tables,
} from "../../packages/server/src/features/tasks/store.ts";
import { activeStatuses } from "../../packages/server/src/features/tasks/task.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { databaseTime } from "../../packages/server/src/platform/db/clock.ts";
import type { Database, Db } from "../../packages/server/src/platform/db/connect.ts";
import { addRunRow } from "./run-rows.ts";

/** What somebody could want done. */
export const sampleTask: NewTask = {
  kind: "edit",
  title: "Make the heading larger",
  instruction: "Make the heading larger.",
  pageUrl: "/about/",
  projectId: null,
  findingId: null,
  attachments: [],
  priority: 0,
  actor: "Owner",
};

/** Takes all tasks and runs away: cheaper than a database for each test. */
export async function clearTasks(db: Db): Promise<void> {
  await sql`delete from task`.execute(db);
  await sql`delete from run`.execute(db);
}

/** Lays so many tasks into the queue at once, without their events. */
export async function addTaskRows(db: Db, count: number, status = "queued"): Promise<void> {
  await sql`
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})
    insert into task (kind, title, instruction, priority, status, actor, created_at, updated_at)
    select 'edit', 'Task', 'Do it.', (n % 3) - 1, ${status}, 'Owner',
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from number
  `.execute(db);
}

/** What workers do to the world: a row for each task that one carries out. */
export async function makeEffects({ db }: Database): Promise<void> {
  await sql`create table effect (task_id integer not null, worker text not null)`.execute(db);
}

export type EffectTables = { effect: { task_id: number; worker: string } };

/** A run in this state, with nothing behind it. */
export function addQueuedRun(db: Db, status: RunStatus): Promise<string> {
  return addRunRow(db, systemClock, status);
}

/** A task in this state, with a run in that one; one that is held is so by the token `token`. */
export async function addTaskRow(
  db: Db,
  status: TaskStatus,
  { run = null, ...set }: { run?: RunStatus | null } & TaskPatch = {},
): Promise<TaskRow> {
  const { id } = await queueTask(db, sampleTask, isoTime(Date.now()));
  const held = {
    claimed_by: "worker",
    claim_hash: sha256Hex("token"),
    lease_ms: 60_000,
    lease_expires_at: databaseTime(db, 60_000),
    attempts: 1,
  };
  return tables(db)
    .updateTable("task")
    .set({
      status,
      run_id: run === null ? null : await addQueuedRun(db, run),
      ...(activeStatuses.includes(status) ? held : {}),
      ...set,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
