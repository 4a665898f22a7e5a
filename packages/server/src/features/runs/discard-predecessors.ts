import type { Db } from "../../platform/db/connect.ts";
import { insertEvents } from "./event-store.ts";
import type { Execution } from "./execution.ts";
import { findRequest } from "./request-store.ts";
import type { RunEvent } from "./schema.ts";
import { compareAndSetStatus } from "./store.ts";

/** Maximum number of consecutive predecessors. */
const maxPredecessors = 50;

const messages = {
  continued: "Another run has continued this work.",
  "taken-back": "A follow-up has undone these changes.",
} as const;

/**
 * Call in the transaction that ends a run's work: discards its ready or interrupted predecessors,
 * which it replaces or has undone. Returns these runs, whose listeners have to be notified after
 * the transaction. `at` is ISO 8601 UTC.
 */
export async function discardPredecessors(
  trx: Db,
  { deps, run }: Execution,
  { at, outcome }: { at: string; outcome: keyof typeof messages },
): Promise<string[]> {
  const runId = run.row.id;
  const isTakenBack = outcome === "taken-back";
  const discarded: string[] = [];
  let successor = runId;
  for (let step = 0; step < maxPredecessors; step += 1) {
    const origin = (await findRequest(trx, successor)).origin?.runId;
    if (origin === undefined) break;
    const patch = { status: "discarded", finished_at: at } as const;
    if (await compareAndSetStatus(trx, origin, ["preview_ready", "interrupted"], patch)) {
      const events: RunEvent[] = [
        { type: "run.status", data: { status: "discarded" } },
        { type: "run.finished", data: { status: "discarded", message: messages[outcome] } },
      ];
      await insertEvents(trx, origin, events, at);
      const closed = { runId: origin, status: "discarded" } as const;
      await deps.onRunClosed(trx, {
        ...closed,
        successor: isTakenBack ? null : runId,
        isTakenBack,
      });
      discarded.push(origin);
    }
    successor = origin;
  }
  return discarded;
}
