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
  /** The model's messages to append to the conversation. */
  messages: ModelMessage[];
  /** Includes an estimate for aborted attempts, because providers charge for them. */
  tokens: StepTokens;
  /** Whether the response was cut off by the length limit. */
  cut: boolean;
  /** Whether the model, or a filter of its provider, declined to respond. */
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
  /** Called with the estimated usage if no response succeeds. */
  onLost?(tokens: StepTokens): void;
  /** Called before a failed attempt is repeated. */
  onRetry(failure: string): void;
}

export interface StepTiming {
  /** Maximum silence of a model before the attempt is aborted, ms. */
  silentMs: number;
  /** How often a failed step is retried. */
  retries: number;
  /** Pause before the first retry, ms; it doubles each time. */
  backoffMs: number;
}

export const defaultTiming: StepTiming = { silentMs: 120_000, retries: 3, backoffMs: 1000 };

/** Makes Anthropic cache everything up to here; other providers do so automatically. */
const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" as const } } };

/**
 * Tools without `execute`: the SDK describes them to the model, and the loop runs them after the
 * step is complete.
 */
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

/** The conversation with a cache mark at its end, so that the next step reads it from the cache. */
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

/** Aborts an attempt after too much silence; `heard` restarts the wait. */
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
    // Errors arrive through the stream; without this, the SDK would also print them.
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
      // The SDK adds its own results for unparsable calls, which would answer them twice.
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
 * One response of the model, retried if that may help: 408, 409, 429, 5xx, 529, a broken or
 * malformed stream. A silent stream is aborted. No tool has run before a retry. Throws AppError
 * `upstream_failed` with an explanation, and `details.tooLong` if the conversation exceeds the
 * context window; an abort throws the signal's reason.
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
