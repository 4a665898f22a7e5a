import { sql } from "kysely";
import type { Database, Db } from "../../src/platform/db/connect.ts";
import type { NewTask } from "../../src/features/tasks/queue.ts";

/** What somebody could want done. */
export const someTask: NewTask = {
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
export async function layTasks(db: Db, count: number, status = "queued"): Promise<void> {
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
