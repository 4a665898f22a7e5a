import type { LanguageModelUsage } from "ai";
import type { StepTokens } from "./budget.ts";

/** A provider that names more is not counting tokens; databases take it, also many of them added up. */
const maxTokens = 1_000_000_000;
/** Code and words together; on the safe side. */
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

/** What an attempt took that broke off before its provider could say: what was sent, and what came back. */
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
 * What an answer took, as its provider says: whole numbers from nothing on, with what came from the
 * cache, or went there, within what was read. What a provider doesn't say is estimated, because a
 * ceiling that is told nothing would never be reached.
 * @param asked what was sent
 * @param answer what came back
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
