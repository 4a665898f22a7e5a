import type { StepUse } from "./agent.ts";
import { costOf, type Prices, type StepTokens } from "./budget.ts";
import type { ModelConfig } from "./model-choice.ts";
import { pricesOf } from "./model-prices.ts";

/** What a model's steps are booked under. */
export interface BookedModel {
  /** `provider/model`, as runs and the ledger name it. */
  name: string;
  /** Null where none are known. */
  prices: Prices | null;
}

export function bookedModel(config: ModelConfig): BookedModel {
  return { name: `${config.provider}/${config.id}`, prices: pricesOf(config) };
}

/** What a step took, as it is booked; its cost is in the currency of the prices. */
export function stepUse({ name, prices }: BookedModel, tokens: StepTokens): StepUse {
  return {
    model: name,
    inputTokens: tokens.input,
    cachedTokens: tokens.cached,
    outputTokens: tokens.output,
    cost: prices && costOf(tokens, prices),
    currency: prices?.currency ?? null,
  };
}
