import type { Db } from "../../platform/db/connect.ts";
import { sql } from "kysely";
import { openStatuses } from "../runs/run-status.ts";
import type { BackupHead } from "./manifest.ts";

type Tables = {
  migration: { name: string; applied_at: string };
  run: { id: string; status: string };
  runner: { id: string };
  members_build: { artifact: string | null };
};

/** The migrations that a database has had, and when. */
export async function readAppliedMigrations(db: Db): Promise<BackupHead["migrations"]> {
  const rows = await db
    .withTables<Tables>()
    .selectFrom("migration")
    .select(["name", "applied_at"])
    .orderBy("name")
    .execute();
  return rows.map((row) => ({ name: row.name, appliedAt: row.applied_at }));
}

/** How many runs are neither live nor given up: their files are in no backup. */
export async function countOpenRuns(db: Db): Promise<number> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("run")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("status", "in", openStatuses)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/**
 * Forgets what was there and did not come along: the runners, so that what they worked on is nobody's
 * now, and the builds for members, so that they are made anew.
 */
export async function deleteHostState(db: Db): Promise<void> {
  await db.withTables<Tables>().deleteFrom("runner").execute();
  await db.withTables<Tables>().updateTable("members_build").set({ artifact: null }).execute();
}

/** Whether a SQLite file is whole, and has nothing that acts by itself: no schema of ours does. */
export async function isIntactSqlite(db: Db): Promise<boolean> {
  const check = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db);
  if (check.rows[0]?.integrity_check !== "ok") return false;
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where type in ('trigger', 'view') limit 1`.execute(db);
  return rows.length === 0;
}
