import type { Db } from "../../platform/db/connect.ts";
import { openStatuses } from "./run-status.ts";
import type { RunStatus } from "./schema.ts";

interface RunConversationTable {
  run_id: string;
  conversation: string;
  updated_at: string;
}

function tables(db: Db) {
  return db.withTables<{
    run_conversation: RunConversationTable;
    run: { id: string; status: RunStatus; finished_at: string | null };
  }>();
}

/** The stored conversation of a run; null for none. */
export async function findConversation(db: Db, runId: string): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("run_conversation")
    .select("conversation")
    .where("run_id", "=", runId)
    .executeTakeFirst();
  return row?.conversation ?? null;
}

/** Which of these runs have a conversation. */
export async function listRunsWithConversation(
  db: Db,
  runIds: readonly string[],
): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const rows = await tables(db)
    .selectFrom("run_conversation")
    .select("run_id")
    .where("run_id", "in", runIds)
    .execute();
  return new Set(rows.map((row) => row.run_id));
}

/** @param at ISO 8601 UTC */
export async function saveConversation(
  db: Db,
  runId: string,
  conversation: string,
  at: string,
): Promise<void> {
  await tables(db)
    .insertInto("run_conversation")
    .values({ run_id: runId, conversation, updated_at: at })
    .onConflict((conflict) =>
      conflict.column("run_id").doUpdateSet({ conversation, updated_at: at }),
    )
    .execute();
}

/**
 * Deletes the conversations of runs that nobody continues: finished ones, and those interrupted
 * before `before` (ISO 8601 UTC).
 */
export async function deleteConversations(db: Db, before: string): Promise<void> {
  await tables(db)
    .deleteFrom("run_conversation")
    .where("run_id", "in", (eb) =>
      eb
        .selectFrom("run")
        .select("id")
        .where((or) =>
          or.or([
            or("status", "not in", [...openStatuses, "interrupted"]),
            or.and([or("status", "=", "interrupted"), or("finished_at", "<", before)]),
          ]),
        ),
    )
    .execute();
}
