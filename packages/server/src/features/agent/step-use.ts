import type { StepUse } from "./agent.ts";
import { costOf, type Prices, type StepTokens } from "./budget.ts";
import type { ModelConfig } from "./model-choice.ts";
import { pricesOf } from "./model-prices.ts";

/** The model that steps are recorded for. */
export interface BookedModel {
  /** `provider/model`, as in runs and the ledger. */
  name: string;
  /** Null if unknown. */
  prices: Prices | null;
}

export function bookedModel(config: ModelConfig): BookedModel {
  return { name: `${config.provider}/${config.id}`, prices: pricesOf(config) };
}

/** The recorded usage of a step; its cost is in the currency of the prices. */
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
