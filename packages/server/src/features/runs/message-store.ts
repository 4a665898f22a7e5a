import type { Selectable } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { Attachment, PickedElement, RunMessage } from "./schema.ts";

interface RunMessageTable {
  id: number;
  run_id: string;
  text: string;
  elements: string;
  attachments: string;
  status: RunMessage["status"];
  created_at: string;
  delivered_at: string | null;
}

function tables(db: Db) {
  return db.withTables<{ run_message: RunMessageTable }>();
}

function toMessage(row: Selectable<RunMessageTable>): RunMessage {
  return {
    id: row.id,
    text: row.text,
    elements: JSON.parse(row.elements) as PickedElement[],
    attachments: JSON.parse(row.attachments) as Attachment[],
    status: row.status,
    createdAt: row.created_at,
  };
}

export interface NewMessage {
  runId: string;
  text: string;
  elements: readonly PickedElement[];
  attachments: readonly Attachment[];
}

/** Stores the owner's message for the run's agent. `at` is ISO 8601 UTC. */
export async function insertMessage(db: Db, message: NewMessage, at: string): Promise<RunMessage> {
  const values = {
    run_id: message.runId,
    text: message.text,
    elements: JSON.stringify(message.elements),
    attachments: JSON.stringify(message.attachments),
    status: "waiting" as const,
    created_at: at,
  };
  const row = await tables(db)
    // The database assigns the ID.
    .insertInto("run_message")
    .values(values as RunMessageTable)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toMessage(row);
}

/** The messages of these runs, in order, without withdrawn ones. */
export async function listMessages(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, RunMessage[]>> {
  const found = new Map<string, RunMessage[]>();
  if (runIds.length === 0) return found;
  const rows = await tables(db)
    .selectFrom("run_message")
    .selectAll()
    .where("run_id", "in", runIds)
    .where("status", "!=", "withdrawn")
    .orderBy("id")
    .execute();
  for (const row of rows) {
    found.set(row.run_id, [...(found.get(row.run_id) ?? []), toMessage(row)]);
  }
  return found;
}

/** The message and its run; null if there is none. */
export async function findMessage(
  db: Db,
  id: number,
): Promise<{ runId: string; status: RunMessage["status"] } | null> {
  const row = await tables(db)
    .selectFrom("run_message")
    .select(["run_id", "status"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row ? { runId: row.run_id, status: row.status } : null;
}

/** The number of messages waiting for the run's agent. */
export async function countWaitingMessages(db: Db, runId: string): Promise<number> {
  const row = await tables(db)
    .selectFrom("run_message")
    .select((eb) => eb.fn.countAll().as("waiting"))
    .where("run_id", "=", runId)
    .where("status", "=", "waiting")
    .executeTakeFirst();
  return Number(row?.waiting ?? 0);
}

/** Takes waiting messages, in order; concurrent callers never get the same message. */
export async function takeWaitingMessages(
  db: Db,
  runId: string,
  at: string,
): Promise<RunMessage[]> {
  const rows = await tables(db)
    .updateTable("run_message")
    .set({ status: "delivered", delivered_at: at })
    .where("run_id", "=", runId)
    .where("status", "=", "waiting")
    .returningAll()
    .execute();
  return rows.map(toMessage).toSorted((a, b) => a.id - b.id);
}

/** Withdraws a run's waiting messages; returns their IDs in order. */
export async function withdrawWaitingMessages(db: Db, runId: string): Promise<number[]> {
  const rows = await tables(db)
    .updateTable("run_message")
    .set({ status: "withdrawn" })
    .where("run_id", "=", runId)
    .where("status", "=", "waiting")
    .returning("id")
    .execute();
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Withdraws a message if it is waiting; returns whether it was. */
export async function withdrawIfWaiting(db: Db, id: number): Promise<boolean> {
  const result = await tables(db)
    .updateTable("run_message")
    .set({ status: "withdrawn" })
    .where("id", "=", id)
    .where("status", "=", "waiting")
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}
