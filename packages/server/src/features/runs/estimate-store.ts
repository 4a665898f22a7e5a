import type { Db } from "../../platform/db/connect.ts";
import type { RunMode, RunStatus } from "./schema.ts";

interface PastRunTable {
  id: string;
  kind: string;
  mode: RunMode;
  status: RunStatus;
  model: string;
  steps: number;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

interface RunEventTable {
  run_id: string;
  type: string;
  at: string;
}

/** What a run used until it was ready or had ended. */
export interface PastRun {
  id: string;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
  seconds: number | null;
}

/** Runs stopped by the owner say nothing about how much a run needs. */
const finishedStatuses: readonly RunStatus[] = [
  "preview_ready",
  "publishing",
  "published",
  "discarded",
  "failed",
  "interrupted",
];

/** The last runs with this mode and model in which an agent worked, newest first. */
export async function listPastRuns(
  db: Db,
  query: { mode: RunMode; model: string; limit: number },
): Promise<PastRun[]> {
  const rows = await db
    .withTables<{ run: PastRunTable; run_event: RunEventTable }>()
    .selectFrom("run")
    .select(["id", "input_tokens", "output_tokens", "cost", "started_at", "finished_at"])
    .select((eb) =>
      eb
        .selectFrom("run_event")
        .select((of) => of.fn.max("run_event.at").as("at"))
        .whereRef("run_event.run_id", "=", "run.id")
        .where("run_event.type", "=", "preview.ready")
        .as("ready_at"),
    )
    .where("kind", "=", "edit")
    .where("mode", "=", query.mode)
    .where("model", "=", query.model)
    .where("status", "in", finishedStatuses)
    .where("steps", ">", 0)
    .orderBy("created_at", "desc")
    .limit(query.limit)
    .execute();
  return rows.map((row) => {
    // Even if it was published or discarded later, it was done for its owner when it was ready.
    const end = row.ready_at ?? row.finished_at;
    const known = end !== null && row.started_at !== null;
    return {
      id: row.id,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cost: row.cost,
      seconds: known ? (Date.parse(end) - Date.parse(row.started_at ?? end)) / 1000 : null,
    };
  });
}
