import { APICallError, type LanguageModel, type ModelMessage, streamText, type ToolSet } from "ai";
import { AppError } from "../../kit/errors.ts";
import type { StepTokens } from "./budget.ts";
import {
  describeFailure,
  IncompleteAnswer,
  isTooLong,
  retryDelay,
  settingsAdvice,
  SilentStream,
} from "./model-failure.ts";
import { addTokens, brokenOffTokens, stepTokens } from "./step-tokens.ts";
import type { BoundTool } from "./tools/toolbox.ts";

export interface StepCall {
  id: string;
  name: string;
  input: unknown;
}

export interface StepResult {
  text: string;
  calls: StepCall[];
  /** What the model said, as it goes back into the conversation. */
  messages: ModelMessage[];
  /** Those of attempts that broke off are counted in, by estimate: providers have them paid. */
  tokens: StepTokens;
  /** The answer ended because it became too long. */
  cut: boolean;
  /** The model, or a filter of its provider, declined to answer. */
  refused: boolean;
}

export interface StepRequest {
  model: Exclude<LanguageModel, string>;
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly BoundTool[];
  signal: AbortSignal;
  maxOutputTokens?: number;
  onText(text: string): void;
  /** Told what was taken, by estimate, where there is no answer in the end. */
  onLost?(tokens: StepTokens): void;
  /** Told before a failed attempt is repeated. */
  onRetry(failure: string): void;
}

export interface StepTiming {
  /** How long a model may say nothing at all before the attempt is given up, ms. */
  silentMs: number;
  /** How often a failed step is tried again. */
  retries: number;
  /** First pause before a retry, ms; it doubles. */
  backoffMs: number;
}

export const defaultTiming: StepTiming = { silentMs: 120_000, retries: 3, backoffMs: 1000 };

/** Has Anthropic cache what comes before, up to here; others find the same beginning by themselves. */
const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" as const } } };

/** Tools without `execute`: the SDK describes them to the model, the loop runs them after the step is whole. */
function described(tools: readonly BoundTool[]): ToolSet {
  const entries = tools.map(({ name, description, input }, i) => [
    name,
    {
      description,
      inputSchema: input,
      ...(i === tools.length - 1 ? { providerOptions: cacheMark } : {}),
    },
  ]);
  return Object.fromEntries(entries) as ToolSet;
}

/** The conversation so far, with its end marked: the next step reads up to there from the cache. */
function cached(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, i) =>
    i === messages.length - 1 ? { ...message, providerOptions: cacheMark } : message,
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Aborts an attempt that stays silent; `heard` starts the wait anew. */
function watchSilence(silentMs: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new SilentStream()), silentMs);
  return {
    signal: controller.signal,
    heard: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}

function start(request: StepRequest, signal: AbortSignal) {
  return streamText({
    model: request.model,
    instructions: {
      role: "system",
      content: request.instructions,
      providerOptions: cacheMark,
    },
    messages: cached(request.messages),
    tools: described(request.tools),
    maxRetries: 0,
    abortSignal: signal,
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    providerOptions: { openai: { store: false, parallelToolCalls: true } },
    // The errors come through the stream; without this the SDK prints them.
    onError: () => {},
  });
}

async function attempt(
  request: StepRequest,
  timing: StepTiming,
  onBroken: (tokens: StepTokens) => void,
): Promise<StepResult> {
  const silence = watchSilence(timing.silentMs);
  const prompt = [request.instructions, request.messages];
  const answer = { text: "", calls: [] as StepCall[] };
  try {
    const result = start(request, AbortSignal.any([request.signal, silence.signal]));
    for await (const part of result.stream) {
      silence.heard();
      if (part.type === "error") throw part.error;
      if (part.type === "abort") throw silence.signal.reason ?? request.signal.reason;
      if (part.type === "text-delta") {
        answer.text += part.text;
        request.onText(part.text);
      }
      if (part.type === "tool-call") {
        answer.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
      }
    }
    const [finish, raw, usage, messages] = await Promise.all([
      result.finishReason,
      result.rawFinishReason,
      result.usage,
      result.responseMessages,
    ]);
    if (finish === "error" || finish === "interrupted") throw new IncompleteAnswer();
    return {
      ...answer,
      // The SDK's own results for calls it couldn't parse would answer them twice.
      messages: messages.filter((message) => message.role === "assistant"),
      tokens: stepTokens(usage, prompt, answer),
      cut: finish === "length",
      refused: finish === "content-filter" || raw === "refusal",
    };
  } catch (error) {
    if (answer.text !== "" || answer.calls.length > 0) onBroken(brokenOffTokens(prompt, answer));
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    silence.stop();
  }
}

/**
 * One answer of the model, tried again where that can help: 408, 409, 429, 5xx, 529, a stream that
 * breaks or makes no sense. A silent one is given up. No tool has run when a step is tried again.
 * Throws AppError `upstream_failed` in plain words, with `details.tooLong` when the conversation is
 * more than the model takes; an abort throws the signal's reason.
 */
export async function runStep(request: StepRequest, timing: StepTiming): Promise<StepResult> {
  let lost: StepTokens | null = null;
  const onBroken = (tokens: StepTokens) => (lost = lost ? addTokens(lost, tokens) : tokens);
  const fail = () => lost && request.onLost?.(lost);
  for (let failed = 0; ; failed += 1) {
    try {
      request.signal.throwIfAborted();
      const result = await attempt(request, timing, onBroken);
      return lost ? { ...result, tokens: addTokens(result.tokens, lost) } : result;
    } catch (error) {
      if (request.signal.aborted) fail();
      request.signal.throwIfAborted();
      const delay = retryDelay(error, failed, timing.backoffMs);
      const failure = describeFailure(error);
      if (delay === null || failed >= timing.retries) {
        fail();
        const status = APICallError.isInstance(error) ? error.statusCode : undefined;
        throw new AppError("upstream_failed", failure + settingsAdvice(error), {
          details: {
            provider: status ?? null,
            attempts: failed + 1,
            ...(isTooLong(error) ? { tooLong: true } : {}),
          },
          cause: error,
        });
      }
      request.onRetry(failure);
      await pause(delay, request.signal).catch((reason: unknown) => {
        fail();
        throw reason;
      });
    }
  }
}
