import { randomInt } from "node:crypto";
import { APICallError, type ModelMessage } from "ai";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import type { StepTokens } from "./budget.ts";
import type { Model } from "./model-abilities.ts";
import { runStep, type StepResult, type StepTiming } from "./model-step.ts";
import { addTokens } from "./step-tokens.ts";
import { makeBandsImage, colorNames, matchesColors, randomColors } from "./probe-image.ts";
import type { BoundTool } from "./tools/toolbox.ts";

/** The abilities that a model has shown. */
export interface Probe {
  responds: true;
  tools: boolean;
  images: boolean;
  /** What it can't do and why, one sentence each. */
  notes: string[];
  /** The tokens used, including those of useless responses. */
  tokens: StepTokens;
}

export interface ProbeOptions {
  timing?: Partial<StepTiming>;
  signal?: AbortSignal;
  /** Called if the probe fails, with the tokens used, estimated for aborted responses. */
  onLost?(tokens: StepTokens): void;
  /** Time limit for the whole probe, ms. */
  timeoutMs?: number;
}

/** Most of it may pass while a model is loaded from a slow disk. */
const defaultTimeoutMs = 50_000;
const timing: StepTiming = { silentMs: 40_000, retries: 1, backoffMs: 500 };
/** Leaves room for models that reason first. */
const outputTokens = 2000;

/** The provider caused the failure, so it says nothing about the model. */
const passing = new Set([401, 402, 403, 408, 409, 429, 503, 529]);

type Ask = (messages: ModelMessage[], tools?: BoundTool[]) => Promise<StepResult>;
type Finding = { able: true } | { able: false; note: string };

/**
 * Sends requests to the same model and adds their usage to `tokens`, even for aborted responses.
 */
function asking(model: Model, options: ProbeOptions, signal: AbortSignal, tokens: StepTokens): Ask {
  const take = (taken: StepTokens) => Object.assign(tokens, addTokens(tokens, taken));
  return async (messages, tools = []) => {
    const result = await runStep(
      {
        model,
        instructions: "You are being tested. Do exactly what is asked, and nothing else.",
        messages,
        tools,
        signal,
        maxOutputTokens: outputTokens,
        onText: () => {},
        onLost: take,
        onRetry: () => {},
      },
      { ...timing, ...options.timing },
    );
    take(result.tokens);
    return result;
  };
}

/**
 * If one kind of request fails but another succeeded, the failure says something about the model:
 * the server refuses it, the stream breaks or is silent, or the response takes too long. Other
 * failures, and aborts by the caller, are rethrown.
 */
async function finding(what: string, late: AbortSignal, ask: () => Promise<Finding>) {
  try {
    return await ask();
  } catch (error) {
    if (error === late.reason) return { able: false, note: `${what} It took too long.` } as const;
    if (!(error instanceof AppError) || error.cause === undefined) throw error;
    if (APICallError.isInstance(error.cause)) {
      const { statusCode } = error.cause;
      if (statusCode === undefined || passing.has(statusCode)) throw error;
    }
    return { able: false, note: `${what} ${error.message}` } as const;
  }
}

const probeWords = ["amber", "basalt", "clover", "delta", "ember", "fjord", "garnet", "harbor"];

function probeTools(ask: Ask, late: AbortSignal): Promise<Finding> {
  return finding("It can't call tools.", late, async () => {
    const word = `${probeWords[randomInt(probeWords.length)]}-${randomInt(1000, 10_000)}`;
    const tool: BoundTool = {
      name: "note_word",
      description: "Notes a word.",
      input: z.object({ word: z.string().describe("The word to note, as it was given") }),
      call: async () => ({ ok: true, text: "" }),
    };
    const content = `Call the tool note_word with the word ${word}. Write nothing.`;
    const { calls } = await ask([{ role: "user", content }], [tool]);
    const call = calls.find(({ name }) => name === tool.name);
    const input = call?.input as { word?: unknown } | undefined;
    if (input?.word === word) return { able: true };
    const note = call
      ? "It calls tools, but with the wrong arguments."
      : "It didn't call a tool when asked to.";
    return { able: false, note };
  });
}

function probeImages(ask: Ask, late: AbortSignal): Promise<Finding> {
  return finding("It can't see images.", late, async () => {
    const row = randomColors();
    const text = `The image shows three upright bands. Name their colors from left to right: three words out of ${colorNames.join(", ")}. Write nothing else.`;
    const data = await makeBandsImage(row);
    const { text: reply } = await ask([
      {
        role: "user",
        content: [
          { type: "text", text },
          { type: "file", mediaType: "image/png", data },
        ],
      },
    ]);
    if (matchesColors(reply, row)) return { able: true };
    return { able: false, note: "It didn't recognize what a test image shows." };
  });
}

/** The abilities shown, without usage. Ends `time` when done. */
async function runProbes(ask: Ask, time: AbortController): Promise<Omit<Probe, "tokens">> {
  const late = time.signal;
  // Runs alone first: a local model may have to be loaded, and a wrong key is then reported once.
  await ask([{ role: "user", content: "Answer with the word ready." }]);
  const both = [probeTools(ask, late), probeImages(ask, late)] as const;
  try {
    const [tools, images] = await Promise.all(both);
    return {
      responds: true,
      tools: tools.able,
      images: images.able,
      notes: [tools, images].flatMap((one) => (one.able ? [] : [one.note])),
    };
  } finally {
    // If one request fails, the other is aborted; its usage is recorded by then.
    time.abort();
    await Promise.allSettled(both);
  }
}

/**
 * Tests a model by letting it answer, call a tool with an argument, and name what an image shows,
 * in at most 50 s. Throws AppError `upstream_failed` with an explanation if it doesn't respond or
 * the provider prevents testing; an abort throws the signal's reason.
 */
export async function probeModel(model: Model, options: ProbeOptions = {}): Promise<Probe> {
  const time = new AbortController();
  const ms = options.timeoutMs ?? defaultTimeoutMs;
  const sentence = `The model didn't respond within ${Math.ceil(ms / 1000)} seconds.`;
  const late = setTimeout(() => time.abort(new AppError("upstream_failed", sentence)), ms);
  const signal = AbortSignal.any([time.signal, ...(options.signal ? [options.signal] : [])]);
  const tokens: StepTokens = { input: 0, cached: 0, cacheWritten: 0, output: 0 };
  try {
    return { ...(await runProbes(asking(model, options, signal, tokens), time)), tokens };
  } catch (error) {
    if (tokens.input > 0) options.onLost?.(tokens);
    throw error;
  } finally {
    clearTimeout(late);
  }
}
