import type { LanguageModel } from "ai";
import { AppError } from "../../kit/errors.ts";
import type { Clock } from "../../kit/clock.ts";
import type { AgentContext } from "./agent.ts";
import type { Budget, StepTokens } from "./budget.ts";
import { modelMessages } from "./conversation.ts";
import { fitted, weightOfAll } from "./conversation-size.ts";
import { runStep, type StepResult, type StepTiming } from "./model-step.ts";
import type { RepetitionWatch } from "./repetition.ts";
import { type BookedModel, stepUse } from "./step-use.ts";
import type { TextStream } from "./text-stream.ts";
import type { Talk } from "./talk.ts";

export interface LoopOptions extends BookedModel {
  /** A model object. A string would be sent to a hosted gateway, so the type has none. */
  model: Exclude<LanguageModel, string>;
  clock: Pick<Clock, "monotonic">;
  timing: StepTiming;
  maxOutputTokens?: number;
  /** Whether the model can see pictures; it can unless told. */
  images?: boolean;
  /** How many tokens the model takes at once; 150,000 unless told. */
  windowTokens?: number;
}

/** One message of the owner's, or one failure handed back, while it is worked on. */
export interface Turn {
  talk: Talk;
  context: AgentContext;
  options: LoopOptions;
  budget: Budget;
  watch: RepetitionWatch;
  signal: AbortSignal;
  text: TextStream;
}

const defaultWindow = 150_000;
/** The share of the window at which the conversation is made smaller, and that it then takes. */
const fullAt = 0.7;
const smallerTo = 0.4;
/** Code and words together; on the safe side. */
const charactersPerToken = 3;

/** Makes the conversation smaller before it is more than the model takes. */
function keepWithinWindow({ talk, options }: Turn): void {
  const window = (options.windowTokens ?? defaultWindow) * charactersPerToken;
  if (talk.briefing.length + weightOfAll(talk.entries) <= window * fullAt) return;
  talk.entries = fitted(talk.entries, Math.max(0, window * smallerTo - talk.briefing.length));
}

function ask(
  { talk, options, signal, text }: Turn,
  onLost: (tokens: StepTokens) => void,
): Promise<StepResult> {
  return runStep(
    {
      model: options.model,
      instructions: talk.instructions,
      messages: modelMessages(talk.briefing, talk.entries),
      tools: talk.tools,
      signal,
      ...(options.maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: options.maxOutputTokens }),
      onLost,
      onText: (piece) => text.add(piece),
      onRetry: (failure) => text.add(`\n(${failure} Trying again.)\n`),
    },
    options.timing,
  );
}

function isTooLong(error: unknown): boolean {
  const details = error instanceof AppError ? (error.details as { tooLong?: true }) : {};
  return details?.tooLong === true;
}

/**
 * One answer of the model. Where the provider says that the conversation is too long for it, the
 * conversation is made much smaller, once.
 */
export async function nextStep(turn: Turn): Promise<StepResult> {
  keepWithinWindow(turn);
  const lost: StepTokens[] = [];
  const onLost = (tokens: StepTokens) => void lost.push(tokens);
  try {
    return await ask(turn, onLost);
  } catch (error) {
    const { talk } = turn;
    const before = weightOfAll(talk.entries);
    if (!isTooLong(error)) throw error;
    talk.entries = fitted(talk.entries, before / 4);
    if (weightOfAll(talk.entries) === before) throw error;
    turn.text.add("\n(The conversation became too long; its older part is shortened.)\n");
    return await ask(turn, onLost);
  } finally {
    turn.text.flush();
    // Why there is no answer is what counts now, and not that a ceiling is reached as well.
    for (const tokens of lost) await bookStep(turn, { tokens }).catch(() => undefined);
  }
}

export function limitOf(error: unknown): string | undefined {
  const limit =
    error instanceof AppError ? (error.details as { limit?: unknown } | undefined)?.limit : null;
  return typeof limit === "string" ? limit : undefined;
}

/** Counts and books what a step took. Throws AppError with `details.limit` when a ceiling is reached. */
export async function bookStep(
  { context, options, budget }: Turn,
  step: Pick<StepResult, "tokens">,
): Promise<void> {
  budget.takeTokens(step.tokens);
  context.emit({ type: "usage", data: budget.usage() });
  await context.spend(stepUse(options, step.tokens));
}
