import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

type Tables = {
  owner_visit: { id: number; since: string | null; last_seen_at: string };
  run: { id: string; status: string; finished_at: string | null };
  run_task: { run_id: string };
  run_request: { run_id: string; origin_run_id: string | null };
  task: { id: number; status: string; finished_at: string | null };
  finding: { id: number; status: string; first_seen_at: string; fixed_at: string | null };
  user_account: { id: number; created_at: string };
  contact_message: { id: number; at: string };
};

const tables = (db: Db) => db.withTables<Tables>();
const count = sql<number>`count(*)`.as("count");

interface Counted {
  executeTakeFirstOrThrow(): Promise<{ count: number }>;
}

const numberOf = async (query: Counted): Promise<number> =>
  Number((await query.executeTakeFirstOrThrow()).count);

/**
 * Since when things count as new, and when the overview was last seen; null before the first visit.
 */
export async function findVisit(
  db: Db,
): Promise<{ since: string | null; lastSeenAt: string } | null> {
  const row = await tables(db).selectFrom("owner_visit").selectAll().executeTakeFirst();
  return row ? { since: row.since, lastSeenAt: row.last_seen_at } : null;
}

/**
 * Records that the overview was seen and returns since when things count as new: a visit last seen
 * before `endedBefore` is over, and news start where it ended.
 */
export async function putVisit(
  db: Db,
  { at, endedBefore }: { at: string; endedBefore: string },
): Promise<string | null> {
  const row = await tables(db)
    .insertInto("owner_visit")
    .values({ id: 1, since: null, last_seen_at: at })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({
        since: sql`case when owner_visit.last_seen_at <= ${endedBefore} then owner_visit.last_seen_at else owner_visit.since end`,
        last_seen_at: sql`excluded.last_seen_at`,
      }),
    )
    .returning("since")
    .executeTakeFirstOrThrow();
  return row.since;
}

/** Runs without a task; tasks are counted separately. */
const ownRuns = (db: Db) =>
  tables(db)
    .selectFrom("run")
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("run_task").select("run_id").whereRef("run_id", "=", "run.id"))),
    );

/** The number of the owner's runs with an undecided preview. */
export const countPreviews = (db: Db): Promise<number> =>
  numberOf(ownRuns(db).select(count).where("run.status", "=", "preview_ready"));

/** The number of the owner's runs that failed after this time and weren't continued. */
export const countFailedRuns = (db: Db, after: string): Promise<number> =>
  numberOf(
    ownRuns(db)
      .select(count)
      .where("run.status", "=", "failed")
      .where("run.finished_at", ">", after)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("run_request").select("run_id").whereRef("origin_run_id", "=", "run.id"),
          ),
        ),
      ),
  );

/** The number of the owner's runs published after this time. */
export const countPublishedRuns = (db: Db, after: string): Promise<number> =>
  numberOf(
    ownRuns(db)
      .select(count)
      .where("run.status", "=", "published")
      .where("run.finished_at", ">", after),
  );

/** The number of tasks that ended in one of these states after this time. */
export const countEndedTasks = (
  db: Db,
  statuses: readonly ("published" | "failed" | "reverted")[],
  after: string,
): Promise<number> =>
  numberOf(
    tables(db)
      .selectFrom("task")
      .select(count)
      .where("status", "in", statuses)
      .where("finished_at", ">", after),
  );

/** The number of messages received after this time. */
export const countNewMessages = (db: Db, after: string): Promise<number> =>
  numberOf(tables(db).selectFrom("contact_message").select(count).where("at", ">", after));

/** The number of unfixed findings first seen after this time. */
export const countNewFindings = (db: Db, after: string): Promise<number> =>
  numberOf(
    tables(db)
      .selectFrom("finding")
      .select(count)
      .where("first_seen_at", ">", after)
      .where("status", "in", ["open", "queued"]),
  );

/** The number of findings fixed after this time. */
export const countFixedFindings = (db: Db, after: string): Promise<number> =>
  numberOf(
    tables(db)
      .selectFrom("finding")
      .select(count)
      .where("status", "=", "fixed")
      .where("fixed_at", ">", after),
  );

/** The number of accounts created after this time. */
export const countNewAccounts = (db: Db, after: string): Promise<number> =>
  numberOf(tables(db).selectFrom("user_account").select(count).where("created_at", ">", after));
