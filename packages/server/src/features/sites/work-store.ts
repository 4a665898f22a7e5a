import { sql } from "kysely";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";

type Tables = {
  run: { status: string };
  task: { status: string; not_before: string | null };
  rebuild_request: { status: string };
  outbox_email: { status: string; due_at: string };
  run_notification: { processed_at: string | null; due_at: string };
  qa_run: { id: number; status: string; trigger_kind: string; started_at: string };
  publish_target: {
    enabled: number;
    sent_release: number | null;
    error: string | null;
    next_attempt_at: string | null;
  };
  setting: { key: string; value: string | null };
};

/** What a site's processes still have to do. */
export interface SiteWork {
  /** Whether something is being done, or could be done now. */
  isBusy: boolean;
  /** When there will be something to do, ISO 8601; null: not before somebody asks. */
  nextAt: string | null;
}

const tables = (db: Db) => db.withTables<Tables>();
const one = sql<number>`1`.as("one");

/** Whether a table has a row in one of these states. */
async function hasStatus(
  db: Db,
  table: "run" | "rebuild_request" | "qa_run",
  statuses: readonly string[],
): Promise<boolean> {
  const query = tables(db).selectFrom(table).select(one).where("status", "in", statuses).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether the owner has paused the queue, or its setting can't be read, which counts as paused. */
async function isQueuePaused(db: Db): Promise<boolean> {
  const query = tables(db).selectFrom("setting").select("value").where("key", "=", "tasks");
  const row = await query.executeTakeFirst();
  return row !== undefined && row.value !== '{"paused":false}';
}

/** When the next task can start: "" for now, null if none waits. */
async function nextTask(db: Db): Promise<string | null> {
  const held = await tables(db)
    .selectFrom("task")
    .select(one)
    .where("status", "in", ["claimed", "building"])
    .limit(1)
    .executeTakeFirst();
  if (held !== undefined) return "";
  if (await isQueuePaused(db)) return null;
  const queued = await tables(db)
    .selectFrom("task")
    .select(({ fn, val }) => fn.min(fn.coalesce("not_before", val(""))).as("at"))
    .where("status", "=", "queued")
    .executeTakeFirst();
  return queued?.at ?? null;
}

async function nextEmail(db: Db): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("outbox_email")
    .select(({ fn }) => fn.min("due_at").as("at"))
    .where("status", "in", ["waiting", "sending"])
    .executeTakeFirst();
  return row?.at ?? null;
}

async function nextNotification(db: Db): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("run_notification")
    .select(({ fn }) => fn.min("due_at").as("at"))
    .where("processed_at", "is", null)
    .executeTakeFirst();
  return row?.at ?? null;
}

/** The next delivery to a publish target: of a release that it lacks, or another attempt. */
async function nextDelivery(db: Db, release: number | null): Promise<string | null> {
  if (release === null) return null;
  const rows = await tables(db)
    .selectFrom("publish_target")
    .select(["sent_release", "error", "next_attempt_at"])
    .where("enabled", "=", 1)
    .execute();
  const times = rows.flatMap((row) => {
    if (row.error !== null) return row.next_attempt_at === null ? [] : [row.next_attempt_at];
    return row.sent_release === release ? [] : [""];
  });
  return times.toSorted()[0] ?? null;
}

async function nextQaRun(
  db: Db,
  { everyMinutes, now }: { everyMinutes: number; now: number },
): Promise<string | null> {
  if (everyMinutes === 0) return null;
  const last = await tables(db)
    .selectFrom("qa_run")
    .select("started_at")
    .where("trigger_kind", "=", "heartbeat")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const from = last === undefined ? now : Date.parse(last.started_at);
  return isoTime(from + everyMinutes * 60_000);
}

/**
 * What a site has to do, by its database. `soonMs`: what is due within so many ms is worth waiting for.
 */
export async function findSiteWork(
  db: Db,
  options: { now: number; soonMs: number; release: number | null; qaMinutes: number },
): Promise<SiteWork> {
  const { now, soonMs, release, qaMinutes } = options;
  const working = [
    await hasStatus(db, "run", ["queued", "running", "building", "publishing"]),
    await hasStatus(db, "rebuild_request", ["pending", "building"]),
    await hasStatus(db, "qa_run", ["running"]),
  ];
  const times = [
    await nextTask(db),
    await nextEmail(db),
    await nextNotification(db),
    await nextDelivery(db, release),
    await nextQaRun(db, { everyMinutes: qaMinutes, now }),
  ];
  const next = times.filter((at) => at !== null).toSorted()[0] ?? null;
  const isDue = next !== null && next <= isoTime(now + soonMs);
  return { isBusy: working.includes(true) || isDue, nextAt: next === "" ? isoTime(now) : next };
}
