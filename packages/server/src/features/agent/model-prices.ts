import type { Prices } from "./budget.ts";
import type { ModelConfig } from "./model-choice.ts";

/**
 * The prices of tokens read from or written to a provider's cache, as a fraction of the input
 * price. For other servers, no discount is assumed.
 */
const cacheParts: Record<ModelConfig["provider"], { read: number; write: number }> = {
  anthropic: { read: 0.1, write: 1.25 },
  openai: { read: 0.5, write: 1 },
  "openai-compatible": { read: 1, write: 1 },
};

/** The prices of a configured model; null if there are none. */
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
