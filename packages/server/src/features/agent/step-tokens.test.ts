import type { LanguageModelUsage } from "ai";
import { expect, test } from "vitest";
import { stepTokens } from "./step-tokens.ts";
import { countedTokens } from "./token-count.ts";

interface Reply {
  input?: number;
  cached?: number;
  written?: number;
  output?: number;
}

function usage({ input, cached, written, output }: Reply): LanguageModelUsage {
  return {
    inputTokens: input,
    inputTokenDetails: {
      noCacheTokens: undefined,
      cacheReadTokens: cached,
      cacheWriteTokens: written,
    },
    outputTokens: output,
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
    totalTokens: undefined,
  };
}

const tokensOf = (reply: Reply) => stepTokens(usage(reply), ["a question"], { text: "an answer" });

test.each<[string, Reply]>([
  ["less than nothing", { input: -5_000_000, output: -7 }],
  ["no number", { input: Number.NaN, output: Number.NaN }],
  ["more than all there is", { input: 1e308, cached: 1e308, output: Infinity }],
  ["more from the cache than was read", { input: 10, cached: 5_000_000, output: 1 }],
  ["more into the cache than was read", { input: 10, cached: 8, written: 5_000_000, output: 1 }],
  ["parts of a token", { input: 10.4, cached: 2.5, output: 0.6 }],
])("a provider's usage never reduces what is spent: %s", (_, reply) => {
  const tokens = tokensOf(reply);
  const { input, cached, cacheWritten, output } = tokens;
  for (const value of Object.values(tokens)) {
    expect(Number.isSafeInteger(value)).toBe(true);
    expect(value).toBeGreaterThanOrEqual(0);
  }
  expect(cached + cacheWritten).toBeLessThanOrEqual(input);
  const counted = { inputTokens: input, cachedTokens: cached, outputTokens: output };
  expect(countedTokens(counted)).toBeGreaterThanOrEqual(0);
});

test("a provider's usage is taken as reported", () => {
  const reply = { input: 1000, cached: 800, written: 100, output: 50 };
  expect(tokensOf(reply)).toEqual({ input: 1000, cached: 800, cacheWritten: 100, output: 50 });
});

test("missing usage is estimated, without image data", () => {
  const requested = ["x".repeat(3000), [{ data: new Uint8Array(100_000) }]];
  const { input, output } = stepTokens(usage({}), requested, { text: "y".repeat(300) });
  expect(input).toBeGreaterThan(1000);
  expect(input).toBeLessThan(1100);
  expect(output).toBeGreaterThan(100);
  expect(stepTokens(usage({ input: 0, output: 0 }), requested, {}).input).toBe(0);
});
