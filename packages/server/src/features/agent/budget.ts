import { AppError } from "../../kit/errors.ts";
import type { Clock } from "../../kit/clock.ts";
import type { AgentContext, Usage } from "./agent.ts";
import { countedTokens } from "./token-count.ts";

/** Prices per million tokens. */
export interface Prices {
  /** Input tokens. */
  input: number;
  /** Output tokens. */
  output: number;
  /** Input tokens read from the provider's cache; defaults to `input`. */
  cachedInput?: number | undefined;
  /** Input tokens written to the provider's cache; defaults to `input`. */
  cacheWrite?: number | undefined;
  /** The currency, such as USD; null if unknown. */
  currency?: string | null;
}

/** The tokens of one response. `cached` and `cacheWritten` are parts of `input`. */
export interface StepTokens {
  input: number;
  cached: number;
  cacheWritten: number;
  output: number;
}

/** What a run has used and may use. Time counts only while the agent is working. */
export interface Budget {
  /**
   * Returns a signal that aborts with an AppError when the time is up. Start it when a message
   * begins and stop it when it ends.
   */
  startClock(): { signal: AbortSignal; stop(): void };
  /** Counts one step. Throws AppError with `details.limit` if none is left. */
  takeStep(): void;
  /** Counts the tokens of a step. */
  takeTokens(tokens: StepTokens): void;
  /** Throws if the run has used more tokens than allowed. */
  assertTokens(): void;
  stepsLeft(): number;
  usage(): Usage;
}

function exceeded(limit: string, sentence: string): AppError {
  return new AppError("upstream_failed", sentence, { details: { limit } });
}

/** The cost of a step in the currency of the prices. */
export function costOf(tokens: StepTokens, prices: Prices): number {
  const { input, cached, cacheWritten, output } = tokens;
  const plain = Math.max(0, input - cached - cacheWritten);
  const money =
    plain * prices.input +
    cached * (prices.cachedInput ?? prices.input) +
    cacheWritten * (prices.cacheWrite ?? prices.input) +
    output * prices.output;
  return money / 1_000_000;
}

/** @param limits steps, minutes, and tokens (see `countedTokens`) of the whole run */
export function makeBudget(
  limits: AgentContext["limits"],
  prices: Prices | null,
  clock: Pick<Clock, "monotonic">,
): Budget {
  const used: Usage = {
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    cost: prices === null ? null : 0,
    currency: prices?.currency ?? null,
    steps: 0,
  };
  let spentMs = 0;
  return {
    startClock() {
      const controller = new AbortController();
      const start = clock.monotonic();
      const sentence = `The run reached its limit of ${limits.minutes} minutes.`;
      const timer = setTimeout(
        () => controller.abort(exceeded("minutes", sentence)),
        Math.max(0, limits.minutes * 60_000 - spentMs),
      );
      return {
        signal: controller.signal,
        stop() {
          clearTimeout(timer);
          spentMs += clock.monotonic() - start;
        },
      };
    },
    takeStep() {
      if (used.steps >= limits.steps) {
        throw exceeded("steps", `The run reached its limit of ${limits.steps} steps.`);
      }
      used.steps += 1;
    },
    takeTokens(tokens) {
      used.inputTokens += tokens.input;
      used.outputTokens += tokens.output;
      used.cachedTokens += tokens.cached;
      if (prices !== null) used.cost = (used.cost ?? 0) + costOf(tokens, prices);
    },
    assertTokens() {
      if (countedTokens(used) > limits.tokens) {
        throw exceeded("tokens", `The run reached its limit of ${limits.tokens} tokens.`);
      }
    },
    stepsLeft: () => limits.steps - used.steps,
    usage: () => ({ ...used }),
  };
}
