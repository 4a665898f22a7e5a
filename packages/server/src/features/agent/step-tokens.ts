import type { LanguageModelUsage } from "ai";
import type { StepTokens } from "./budget.ts";

/** Larger numbers aren't token counts. Databases can store it, and sums of many of them. */
const maxTokens = 1_000_000_000;
/** For code and text together; a cautious estimate. */
const charactersPerToken = 3;

function count(reported: number | undefined): number {
  if (reported === undefined || Number.isNaN(reported)) return 0;
  return Math.round(Math.min(maxTokens, Math.max(0, reported)));
}

function estimate(value: unknown): number {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Uint8Array ? "" : inner,
  );
  return Math.ceil(text.length / charactersPerToken);
}

/**
 * Estimates the usage of an attempt that was aborted before the provider reported it: what was
 * sent, and what was received.
 */
export function brokenOffTokens(prompt: unknown, answer: unknown): StepTokens {
  return { input: estimate(prompt), cached: 0, cacheWritten: 0, output: estimate(answer) };
}

export function addTokens(one: StepTokens, other: StepTokens): StepTokens {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    cacheWritten: one.cacheWritten + other.cacheWritten,
    output: one.output + other.output,
  };
}

/**
 * The usage of a response as reported by its provider: non-negative integers, with cached tokens
 * limited to the input. Missing values are estimated, because otherwise no limit would ever be
 * reached.
 * @param asked what was sent
 * @param answer what was received
 */
export function stepTokens(
  usage: LanguageModelUsage,
  prompt: unknown,
  answer: unknown,
): StepTokens {
  const input = count(usage.inputTokens ?? estimate(prompt));
  const cached = Math.min(input, count(usage.inputTokenDetails.cacheReadTokens));
  const written = count(usage.inputTokenDetails.cacheWriteTokens);
  return {
    input,
    cached,
    cacheWritten: Math.min(input - cached, written),
    output: count(usage.outputTokens ?? estimate(answer)),
  };
}
