import type { Prices } from "./budget.ts";
import type { ModelConfig } from "./model-choice.ts";

/**
 * What the providers ask for a token that is read from their cache, or put there, as a part of the
 * price of one that is simply read. A server of any kind: what is not said to be cheaper is not.
 */
const cacheParts: Record<ModelConfig["provider"], { read: number; write: number }> = {
  anthropic: { read: 0.1, write: 1.25 },
  openai: { read: 0.5, write: 1 },
  "openai-compatible": { read: 1, write: 1 },
};

/** The prices of a configured model; null where none are given. */
export function pricesOf(config: ModelConfig): Prices | null {
  const { inputPrice, outputPrice, cachedInputPrice } = config;
  if (inputPrice === undefined && outputPrice === undefined) return null;
  const input = inputPrice ?? 0;
  const { read, write } = cacheParts[config.provider];
  return {
    input,
    output: outputPrice ?? 0,
    cachedInput: cachedInputPrice ?? input * read,
    cacheWrite: input * write,
    currency: config.currency ?? null,
  };
}
