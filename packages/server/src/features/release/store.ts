import type { Db } from "../../platform/db/connect.ts";

/** A publish that has started; `done` ones are kept as the record of what went live and when. */
export interface PublishIntent {
  run_id: string;
  /** open: nothing has reached main. ready: everything is prepared, main may have moved. */
  state: "open" | "ready" | "done";
  actor: string;
  /** The base commit of the workspace, and its tree when its publish started. */
  base_commit: string;
  workspace_tree: string;
  /** SHA of the artifact that goes live. */
  artifact: string;
  /** The changelog entry without its commit. */
  change_json: string | null;
  commit_sha: string | null;
  release_number: number | null;
  created_at: string;
  finished_at: string | null;
}

type Tables = { publish_intent: PublishIntent };

/** Inserts the intent; false if the run has one. */
export async function insertIntent(db: Db, intent: PublishIntent): Promise<boolean> {
  const result = await db
    .withTables<Tables>()
    .insertInto("publish_intent")
    .values(intent)
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** The intent of a run. */
export function findIntent(db: Db, runId: string): Promise<PublishIntent | undefined> {
  return db
    .withTables<Tables>()
    .selectFrom("publish_intent")
    .selectAll()
    .where("run_id", "=", runId)
    .executeTakeFirst();
}

/** Stores what is about to reach main, before it may. */
export async function setReady(
  db: Db,
  runId: string,
  prepared: { commit_sha: string; release_number: number; artifact: string },
): Promise<void> {
  await db
    .withTables<Tables>()
    .updateTable("publish_intent")
    .set({ ...prepared, state: "ready" })
    .where("run_id", "=", runId)
    .where("state", "in", ["open", "ready"])
    .execute();
}

/**
 * Locks the row of a ready publish until the end of the transaction; false if it was rolled back or
 * started again.
 */
export async function lockReady(db: Db, runId: string, commit: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .withTables<Tables>()
    .updateTable("publish_intent")
    .set({ state: "ready" })
    .where("run_id", "=", runId)
    .where("state", "=", "ready")
    .where("commit_sha", "=", commit)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a ready intent as done; false if it already is. */
export async function setDone(db: Db, runId: string, finishedAt: string): Promise<boolean> {
  const result = await db
    .withTables<Tables>()
    .updateTable("publish_intent")
    .set({ state: "done", finished_at: finishedAt })
    .where("run_id", "=", runId)
    .where("state", "=", "ready")
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Deletes a publish that was rolled back. */
export async function deleteIntent(db: Db, runId: string): Promise<void> {
  await db
    .withTables<Tables>()
    .deleteFrom("publish_intent")
    .where("run_id", "=", runId)
    .where("state", "!=", "done")
    .execute();
}

/** Publishes that are neither done nor rolled back, oldest first. */
export function unfinishedIntents(db: Db): Promise<PublishIntent[]> {
  return db
    .withTables<Tables>()
    .selectFrom("publish_intent")
    .selectAll()
    .where("state", "!=", "done")
    .orderBy("created_at")
    .execute();
}

/** The run of the newest publish that has ended after this time (ISO 8601 UTC), or null. */
export async function findPublishedSince(db: Db, time: string): Promise<string | null> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("publish_intent")
    .select("run_id")
    .where("state", "=", "done")
    .where("finished_at", ">", time)
    .orderBy("release_number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.run_id ?? null;
}

/** The highest release number used by any publish; 0 before the first. */
export async function highestRelease(db: Db): Promise<number> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("publish_intent")
    .select((eb) => eb.fn.max("release_number").as("highest"))
    .executeTakeFirst();
  return Number(row?.highest ?? 0);
}

/** The commit that a release was published with; null for one without its own commit. */
export async function findReleaseCommit(db: Db, release: number): Promise<string | null> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("publish_intent")
    .select("commit_sha")
    .where("release_number", "=", release)
    .where("state", "=", "done")
    .executeTakeFirst();
  return row?.commit_sha ?? null;
}
