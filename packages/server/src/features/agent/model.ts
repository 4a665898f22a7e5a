import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { checkedFetch } from "../../platform/checked-fetch.ts";
import { modelAddress } from "../settings/model-address.ts";
import { type Agent, agentNames, type AgentRole } from "./agent.ts";
import { openLoop } from "./loop.ts";
import { type Model, limitToAbilities } from "./model-abilities.ts";
import type { ModelChoice, ModelConfig } from "./model-choice.ts";
import { EndlessAnswer } from "./model-failure.ts";
import { defaultTiming, type StepTiming } from "./model-step.ts";
import { bookedModel } from "./step-use.ts";

export interface EditorOptions {
  role?: AgentRole;
  fetch?: typeof globalThis.fetch;
  clock?: Pick<Clock, "monotonic">;
  timing?: Partial<StepTiming>;
}

/** Enough for a whole page file; Anthropic requires a number. */
const anthropicOutputTokens = 16_000;

/**
 * Assumed context window in tokens if the owner hasn't set one. Self-hosted servers may have small
 * ones and silently drop the beginning of longer input.
 */
const defaultWindowTokens: Record<ModelConfig["provider"], number> = {
  anthropic: 150_000,
  openai: 150_000,
  "openai-compatible": 32_000,
};

/** A redirect would send the key and the site's texts to another host. */
function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: "error" });
}

/** Far more than the longest response needs, including the protocol's overhead for each token. */
const maxResponseBytes = 16 * 1024 * 1024;

/** An endless response would fill the memory and the run's record. */
function withinBounds(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let read = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        read += chunk.byteLength;
        if (read <= maxResponseBytes) controller.enqueue(chunk);
        else controller.error(new EndlessAnswer());
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}

/**
 * The key as it can occur in a text or in JSON, where any character may be escaped; slashes often
 * are.
 */
function spellings(key: string): RegExp {
  const characters = [...key].map((character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, "0");
    return String.raw`(?:\\?\x${code}|\\u00${code})`;
  });
  return new RegExp(characters.join(""), "gi");
}

/** A provider's error message is shown and stored, so a repeated key is removed from it. */
function withoutEcho(
  fetch: typeof globalThis.fetch,
  apiKey: string | null,
): typeof globalThis.fetch {
  if (apiKey === null || apiKey === "") return fetch;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    const body = (await response.text()).replaceAll(spellings(apiKey), "(the key)");
    return new Response(body === "" ? null : body, { status, statusText, headers });
  };
}

/**
 * The client for a configured model. Only a local OpenAI-compatible server needs no key. Throws
 * AppError `model_not_configured`.
 */
export function languageModel(
  config: ModelConfig,
  apiKey: string | null,
  options: Pick<EditorOptions, "fetch"> = {},
): Model {
  const fetch = withoutEcho(withinBounds(withoutRedirects(options.fetch ?? checkedFetch)), apiKey);
  const { provider, id } = config;
  const baseURL = modelAddress(provider, config.baseUrl ?? null);
  if (provider === "openai-compatible") {
    if (baseURL === "") {
      throw new AppError("model_not_configured", "An openai-compatible model needs model.baseUrl.");
    }
    return createOpenAICompatible({
      name: "openaiCompatible",
      baseURL,
      includeUsage: true,
      fetch,
      ...(apiKey === null || apiKey === "" ? {} : { apiKey }),
    })(id);
  }
  if (apiKey === null || apiKey === "") {
    const where = "Add it on the settings page or with `vitrine setting set model.apiKey`.";
    throw new AppError("model_not_configured", `There is no API key for ${provider}. ${where}`);
  }
  return provider === "anthropic"
    ? createAnthropic({ apiKey, baseURL, fetch })(id)
    : createOpenAI({ apiKey, baseURL, fetch }).responses(id);
}

/**
 * The selected model, limited to its tested abilities. Throws AppError `model_not_configured` if
 * the key or the address is missing.
 */
export function chosenModel(
  { config, apiKey, abilities }: ModelChoice,
  options: Pick<EditorOptions, "fetch"> = {},
): Model {
  return limitToAbilities(languageModel(config, apiKey, options), abilities);
}

/**
 * The Editor with the selected model or, with the role `designer`, the Web Designer. Throws
 * AppError `model_not_configured` immediately if the key or the address is missing, and when it is
 * opened for building with a model that can't call tools.
 */
export function makeEditor(choice: ModelChoice, options: EditorOptions = {}): Agent {
  const { config } = choice;
  const { role = "editor" } = options;
  const model = chosenModel(choice, options);
  const booked = bookedModel(config);
  const loop = {
    ...booked,
    model,
    role,
    clock: options.clock ?? systemClock,
    timing: { ...defaultTiming, ...options.timing },
    windowTokens: config.windowTokens ?? defaultWindowTokens[config.provider],
    ...(config.provider === "anthropic" ? { maxOutputTokens: anthropicOutputTokens } : {}),
    ...(choice.abilities?.images === false ? { images: false } : {}),
  };
  return {
    name: agentNames[role],
    model: booked.name,
    currency: config.currency ?? null,
    open(context) {
      if (context.mode === "build" && choice.abilities?.tools === false) {
        throw new AppError(
          "model_not_configured",
          `${booked.name} can't call tools, so it can answer questions but not change the site. To make changes, choose another model on the settings page.`,
        );
      }
      return openLoop(loop, context);
    },
  };
}
