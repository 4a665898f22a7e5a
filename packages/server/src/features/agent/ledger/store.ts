import { type Generated, sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { countedTokens } from "../token-count.ts";

/** The purpose for which a model was used. */
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
    currency: string | null;
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
  currency: string | null;
}

/** Inserts one use. */
export async function insertUse(db: Db, use: ModelUse): Promise<void> {
  const { at, purpose, model, cost, currency } = use;
  await db
    .withTables<ModelUseTable>()
    .insertInto("model_use")
    .values({
      at,
      purpose,
      run_id: use.runId,
      model,
      input_tokens: use.inputTokens,
      cached_tokens: use.cachedTokens,
      output_tokens: use.outputTokens,
      cost,
      currency,
    })
    .execute();
}

/** The origin of a use: a run of the owner, a run of a task, or neither. */
export type Origin = "runs" | "tasks" | "other";

/** Sums as the database returns them. */
interface SumRow {
  read: number | string | null;
  cached: number | string | null;
  written: number | string | null;
  cost: number | null;
}

function spendingOf(row: SumRow): { tokens: number; cost: number | null } {
  return {
    tokens: countedTokens({
      inputTokens: Number(row.read ?? 0),
      cachedTokens: Number(row.cached ?? 0),
      outputTokens: Number(row.written ?? 0),
    }),
    cost: row.cost === null ? null : Number(row.cost),
  };
}

/** Uses since a time, for `sumUses`. */
function usesFrom(db: Db, from: string, currency: string | null) {
  return db
    .withTables<ModelUseTable & { run_task: { run_id: string } }>()
    .selectFrom("model_use")
    .select(({ fn, or, eb }) => [
      fn.sum<number | string | null>("input_tokens").as("read"),
      fn.sum<number | string | null>("cached_tokens").as("cached"),
      fn.sum<number | string | null>("output_tokens").as("written"),
      fn
        .sum<number | null>("cost")
        .filterWhere(or([eb("currency", "is", null), eb("currency", "=", currency)]))
        .as("cost"),
    ])
    .where("at", ">=", from);
}

/**
 * What was used since a time (ISO 8601 UTC): counted tokens (`countedTokens`), and the cost of uses
 * with a price in this currency. Uses without a currency are included; those in other currencies
 * can't be added and are left out. The cost is null if there is none.
 */
export async function sumUses(
  db: Db,
  from: string,
  currency: string | null,
): Promise<{ tokens: number; cost: number | null }> {
  return spendingOf(await usesFrom(db, from, currency).executeTakeFirstOrThrow());
}

/** The same, separately for the owner's runs, for tasks' runs, and for everything else. */
export async function sumUsesByOrigin(
  db: Db,
  from: string,
  currency: string | null,
): Promise<Record<Origin, { tokens: number; cost: number | null }>> {
  const origin = sql<Origin>`case when run_task.run_id is not null then 'tasks' when model_use.run_id is not null then 'runs' else 'other' end`;
  const rows = await usesFrom(db, from, currency)
    .leftJoin("run_task", "run_task.run_id", "model_use.run_id")
    .select(origin.as("origin"))
    .groupBy(origin)
    .execute();
  const of = (name: Origin) => {
    const row = rows.find((candidate) => candidate.origin === name);
    return row ? spendingOf(row) : { tokens: 0, cost: null };
  };
  return { runs: of("runs"), tasks: of("tasks"), other: of("other") };
}

/** The recorded usage of a run: its currency, and the tokens read from the provider's cache. */
export interface RunUse {
  currency: string | null;
  cachedTokens: number;
}

/** The usage of these runs; runs without any are left out. */
export async function usesOfRuns(db: Db, ids: readonly string[]): Promise<Map<string, RunUse>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .withTables<ModelUseTable>()
    .selectFrom("model_use")
    .select(({ fn }) => [
      "run_id",
      fn.max("currency").as("currency"),
      fn.sum<number | string>("cached_tokens").as("cached"),
    ])
    .where("run_id", "in", ids)
    .groupBy("run_id")
    .execute();
  return new Map(
    rows.map(({ run_id, currency, cached }) => [
      run_id ?? "",
      { currency, cachedTokens: Number(cached) },
    ]),
  );
}
