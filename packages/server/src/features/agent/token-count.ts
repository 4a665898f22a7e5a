/** Tokens used by a step or a run; `cachedTokens` are part of `inputTokens`. */
export interface TokenUse {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

/**
 * How many tokens count towards a limit and in an estimate: those read from the provider's cache
 * count a tenth. The same conversation is sent with every step, so a run of forty steps reads most
 * of its tokens forty times.
 */
export function countedTokens({ inputTokens, cachedTokens, outputTokens }: TokenUse): number {
  return Math.ceil(inputTokens - cachedTokens + cachedTokens / 10 + outputTokens);
}
