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

/** The applied migrations and their times. */
export async function readAppliedMigrations(db: Db): Promise<BackupHead["migrations"]> {
  const rows = await db
    .withTables<Tables>()
    .selectFrom("migration")
    .select(["name", "applied_at"])
    .orderBy("name")
    .execute();
  return rows.map((row) => ({ name: row.name, appliedAt: row.applied_at }));
}

/**
 * The number of runs that are neither published nor discarded; backups don't include their files.
 */
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
 * Deletes state that isn't restored: runners, so that their work is unclaimed, and members' builds,
 * so that they are built again.
 */
export async function deleteHostState(db: Db): Promise<void> {
  await db.withTables<Tables>().deleteFrom("runner").execute();
  await db.withTables<Tables>().updateTable("members_build").set({ artifact: null }).execute();
}

/** Whether a SQLite file is intact and has no triggers or views, which our schema never has. */
export async function isIntactSqlite(db: Db): Promise<boolean> {
  const check = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db);
  if (check.rows[0]?.integrity_check !== "ok") return false;
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where type in ('trigger', 'view') limit 1`.execute(db);
  return rows.length === 0;
}
