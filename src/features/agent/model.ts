import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Agent } from "./agent.ts";
import type { Prices } from "./budget.ts";
import { openLoop } from "./loop.ts";
import { defaultTiming, type StepTiming } from "./model-step.ts";

export type ModelConfig = NonNullable<Config["model"]>;

export interface EditorOptions {
  fetch?: typeof globalThis.fetch;
  clock?: Pick<Clock, "monotonic">;
  timing?: Partial<StepTiming>;
}

// Given outright: left out, the clients would take them from the environment.
const anthropicUrl = "https://api.anthropic.com/v1";
const openaiUrl = "https://api.openai.com/v1";

/** Long enough for a whole page file; Anthropic asks for a number. */
const anthropicOutputTokens = 16_000;

/** A redirect would carry the key and the site's texts to another host. */
function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: "error" });
}

/**
 * The client for a configured model. A local OpenAI-compatible server needs no key, the others do.
 * Throws AppError `model_not_configured`.
 */
export function languageModel(
  config: ModelConfig,
  apiKey: string | null,
  options: Pick<EditorOptions, "fetch"> = {},
): Exclude<LanguageModel, string> {
  const fetch = withoutRedirects(options.fetch ?? globalThis.fetch);
  const { provider, id, baseUrl } = config;
  if (provider === "openai-compatible") {
    if (baseUrl === undefined) {
      throw new AppError("model_not_configured", "An openai-compatible model needs model.baseUrl.");
    }
    return createOpenAICompatible({
      name: "openaiCompatible",
      baseURL: baseUrl,
      includeUsage: true,
      fetch,
      ...(apiKey === null || apiKey === "" ? {} : { apiKey }),
    })(id);
  }
  if (apiKey === null || apiKey === "") {
    const where = "Add it on the settings page or with `vitrine setting`.";
    throw new AppError("model_not_configured", `There is no API key for ${provider}. ${where}`);
  }
  return provider === "anthropic"
    ? createAnthropic({ apiKey, baseURL: baseUrl ?? anthropicUrl, fetch })(id)
    : createOpenAI({ apiKey, baseURL: baseUrl ?? openaiUrl, fetch }).responses(id);
}

function pricesOf({ inputPrice, outputPrice }: ModelConfig): Prices | null {
  if (inputPrice === undefined && outputPrice === undefined) return null;
  return { input: inputPrice ?? 0, output: outputPrice ?? 0 };
}

/**
 * The Editor on a model of a provider.
 * @param apiKey the provider's key, or null where there is none
 * Throws AppError `model_not_configured` when the configuration or the key is missing.
 */
export function makeEditor(
  config: Config["model"],
  apiKey: string | null,
  options: EditorOptions = {},
): Agent {
  if (config === null) throw new AppError("model_not_configured", "No model is configured.");
  const model = languageModel(config, apiKey, options);
  return {
    name: "Editor",
    model: `${config.provider}/${config.id}`,
    open: (context) =>
      openLoop(
        {
          model,
          clock: options.clock ?? systemClock,
          timing: { ...defaultTiming, ...options.timing },
          prices: pricesOf(config),
          ...(config.provider === "anthropic" ? { maxOutputTokens: anthropicOutputTokens } : {}),
        },
        context,
      ),
  };
}
