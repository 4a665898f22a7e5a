/** Tokens as a step or a run took them; `cachedTokens` are part of `inputTokens`. */
export interface TokenUse {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

/**
 * How many tokens count against a ceiling, and in an estimate: those that the provider read from
 * its cache count a tenth. The same conversation is sent with every step, so a run of forty steps
 * reads most of its tokens forty times.
 */
export function countedTokens({ inputTokens, cachedTokens, outputTokens }: TokenUse): number {
  return Math.ceil(inputTokens - cachedTokens + cachedTokens / 10 + outputTokens);
}
