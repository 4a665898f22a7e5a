import { type Selectable, sql } from "kysely";
import { databaseTime } from "../../platform/db/clock.ts";
import type { Db } from "../../platform/db/connect.ts";

interface JobTable {
  token: string;
  name: string;
  kind: "create" | "remove";
  node: string;
  state: "running" | "done" | "failed";
  progress: string | null;
  started_at: string;
  until: string;
  ended_at: string | null;
  sealed_link: string | null;
  key_id: string | null;
  error_code: string | null;
  error_message: string | null;
}

/** `is_late`: its time has passed by the database's clock. */
export type JobRow = Selectable<JobTable> & { is_late: 0 | 1 };

const tables = (db: Db) => db.withTables<{ site_job: JobTable }>();

/** All jobs, newest first. */
export function listJobs(db: Db): Promise<JobRow[]> {
  return tables(db)
    .selectFrom("site_job")
    .selectAll()
    .select(sql<0 | 1>`case when until > ${databaseTime(db)} then 0 else 1 end`.as("is_late"))
    .orderBy("started_at", "desc")
    .orderBy("token", "desc")
    .execute();
}

export async function insertJob(
  db: Db,
  job: Pick<JobRow, "token" | "name" | "kind" | "node">,
  leaseMs: number,
): Promise<string> {
  const { started_at } = await tables(db)
    .insertInto("site_job")
    .values({
      ...job,
      state: "running",
      started_at: databaseTime(db),
      until: databaseTime(db, leaseMs),
    })
    .returning("started_at")
    .executeTakeFirstOrThrow();
  return started_at;
}

/** False if the job has ended, or is gone. */
export async function renewJob(
  db: Db,
  { token, progress, leaseMs }: { token: string; progress: string | null; leaseMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("site_job")
    .set({ until: databaseTime(db, leaseMs), ...(progress !== null && { progress }) })
    .where("token", "=", token)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends the leases of a node's jobs. One that still runs renews its own. */
export async function expireJobs(db: Db, node: string): Promise<void> {
  await tables(db)
    .updateTable("site_job")
    .set({ until: databaseTime(db) })
    .where("node", "=", node)
    .where("ended_at", "is", null)
    .execute();
}

/**
 * Stores how a job has ended. Of those of its site that have ended, only the one that began last is kept,
 * also if this one ends later.
 */
export async function endJob(
  db: Db,
  { token, ...result }: Pick<JobRow, "token" | "state"> & Partial<JobRow>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const row = await tables(transaction)
      .updateTable("site_job")
      .set({ ...result, ended_at: databaseTime(transaction) })
      .where("token", "=", token)
      .returning("name")
      .executeTakeFirst();
    if (row === undefined) return;
    const [, ...earlier] = await tables(transaction)
      .selectFrom("site_job")
      .select("token")
      .where("name", "=", row.name)
      .where("ended_at", "is not", null)
      .orderBy("started_at", "desc")
      .orderBy("token", "desc")
      .execute();
    for (const old of earlier) await deleteJob(transaction, old.token);
  });
}

export async function deleteJob(db: Db, token: string): Promise<void> {
  await tables(db).deleteFrom("site_job").where("token", "=", token).execute();
}

/** Deletes the jobs of a site that have ended or were interrupted. */
export async function dismissJobs(db: Db, name: string): Promise<void> {
  await tables(db)
    .deleteFrom("site_job")
    .where("name", "=", name)
    .where(({ or, eb }) =>
      or([eb("ended_at", "is not", null), eb("until", "<=", databaseTime(db))]),
    )
    .execute();
}

/** Deletes the jobs that ended or were interrupted so long ago, and of the others all but the newest. */
export async function deleteOldJobs(
  db: Db,
  { maxAgeMs, maxEnded }: { maxAgeMs: number; maxEnded: number },
): Promise<void> {
  const limit = databaseTime(db, -maxAgeMs);
  await tables(db)
    .deleteFrom("site_job")
    .where(({ or, eb }) => or([eb("ended_at", "<=", limit), eb("until", "<=", limit)]))
    .execute();
  await tables(db)
    .deleteFrom("site_job")
    .where("ended_at", "is not", null)
    .where("token", "not in", (query) =>
      query
        .selectFrom("site_job as newest")
        .select("newest.token")
        .where("newest.ended_at", "is not", null)
        .orderBy("newest.ended_at", "desc")
        .limit(maxEnded),
    )
    .execute();
}
