import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { RunEvent, StoredRunEvent } from "./schema.ts";

interface RunEventTable {
  run_id: string;
  seq: number;
  type: RunEvent["type"];
  data: string;
  at: string;
}

function tables(db: Db) {
  return db.withTables<{ run_event: RunEventTable }>();
}

/**
 * Appends events after the run's last one. Call in a transaction; if two processes append to one
 * run at once, the primary key refuses the second.
 */
export async function insertEvents(
  db: Db,
  runId: string,
  events: readonly RunEvent[],
  at: string,
): Promise<void> {
  if (events.length === 0) return;
  const last = await findLastSeq(db, runId);
  await tables(db)
    .insertInto("run_event")
    .values(
      events.map((event, index) => ({
        run_id: runId,
        seq: last + 1 + index,
        type: event.type,
        data: JSON.stringify(event.data),
        at,
      })),
    )
    .execute();
}

/** The number of a run's last event, 0 if it has none. */
export async function findLastSeq(db: Db, runId: string): Promise<number> {
  const row = await tables(db)
    .selectFrom("run_event")
    .select(sql<number | null>`max(seq)`.as("last"))
    .where("run_id", "=", runId)
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}

/** At most `limit` events after `seq`, in order. */
export async function listEventsAfter(
  db: Db,
  runId: string,
  seq: number,
  limit: number,
): Promise<StoredRunEvent[]> {
  const rows = await tables(db)
    .selectFrom("run_event")
    .selectAll()
    .where("run_id", "=", runId)
    .where("seq", ">", seq)
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map(
    (row) =>
      ({ seq: row.seq, at: row.at, type: row.type, data: JSON.parse(row.data) }) as StoredRunEvent,
  );
}
