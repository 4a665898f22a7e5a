import type { Generated } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

/** What a model was used for. */
export type Purpose = "edit" | "ask" | "draft" | "design" | "qa" | "test";

type ModelUseTable = {
  model_use: {
    id: Generated<number>;
    at: string;
    purpose: Purpose;
    run_id: string | null;
    model: string;
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
    cost: number | null;
  };
};

export interface ModelUse {
  at: string;
  purpose: Purpose;
  runId: string | null;
  model: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  cost: number | null;
}

/** Adds one use. */
export async function insertUse(db: Db, use: ModelUse): Promise<void> {
  const { runId, inputTokens, cachedTokens, outputTokens, ...same } = use;
  await db
    .withTables<ModelUseTable>()
    .insertInto("model_use")
    .values({
      ...same,
      run_id: runId,
      input_tokens: inputTokens,
      cached_tokens: cachedTokens,
      output_tokens: outputTokens,
    })
    .execute();
}

/** What was used from a time (ISO 8601 UTC) on; the cost is null where none of it had a price. */
export async function sumUses(
  db: Db,
  from: string,
): Promise<{ tokens: number; cost: number | null }> {
  const row = await db
    .withTables<ModelUseTable>()
    .selectFrom("model_use")
    .select(({ fn }) => [
      fn.sum<number | string | null>("input_tokens").as("read"),
      fn.sum<number | string | null>("output_tokens").as("written"),
      fn.sum<number | null>("cost").as("cost"),
    ])
    .where("at", ">=", from)
    .executeTakeFirstOrThrow();
  return {
    tokens: Number(row.read ?? 0) + Number(row.written ?? 0),
    cost: row.cost === null ? null : Number(row.cost),
  };
}
