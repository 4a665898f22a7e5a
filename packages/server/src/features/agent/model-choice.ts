import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { ModelSetting } from "../settings/model-setting.ts";
import { readModel, readModelKey, type Settings } from "../settings/settings.ts";

/** A model and where it is, with the prices of a million tokens where they are known. */
export interface ModelConfig {
  provider: "anthropic" | "openai" | "openai-compatible";
  id: string;
  /** Undefined is the provider's own address. */
  baseUrl?: string | undefined;
  inputPrice?: number | undefined;
  outputPrice?: number | undefined;
  cachedInputPrice?: number | undefined;
  currency?: string | undefined;
  /** How many tokens it takes at once; what is usual for its provider where it isn't said. */
  windowTokens?: number | undefined;
}

/** The model in use. */
export interface ModelChoice {
  config: ModelConfig;
  /** The key that was given for this provider and address. */
  apiKey: string | null;
  /** What the last test saw it do; null where it was never tested. */
  abilities: { tools: boolean; images: boolean } | null;
  /** Chosen in the settings, or in vitrine.json. */
  from: "settings" | "file";
}

/** What the model in use can do, as far as that is known; null without one. */
export type UsableModel = { canBuild: boolean; canSee: boolean } | null;

/** What a chosen model can do. */
export function usableModelOf(choice: ModelChoice | null): UsableModel {
  if (choice === null) return null;
  const { config, apiKey, abilities } = choice;
  const hasKey = config.provider === "openai-compatible" || (apiKey !== null && apiKey !== "");
  return { canBuild: hasKey && abilities?.tools !== false, canSee: abilities?.images !== false };
}

/** The part of a stored model that a client is made from. */
export function configOf(model: ModelSetting): ModelConfig {
  const { provider, id } = model;
  const config = {
    baseUrl: model.baseUrl,
    inputPrice: model.inputPrice,
    outputPrice: model.outputPrice,
    cachedInputPrice: model.cachedInputPrice,
    currency: model.currency,
    windowTokens: model.windowTokens,
  };
  const given = Object.entries(config).filter(([, value]) => value !== null);
  return { provider, id, ...(Object.fromEntries(given) as Partial<ModelConfig>) };
}

/** Finds the model in use, as it is at the moment it is asked: the settings' before the file's. */
export function makeModelChoice(deps: {
  settings: Pick<Settings, "read">;
  config: Config["model"];
}): { current(): Promise<ModelChoice | null> } {
  const { settings } = deps;
  return {
    /** Throws `unavailable` when what is stored can't be read. */
    async current() {
      const stored = await readModel(settings);
      const config = stored === null ? deps.config : configOf(stored);
      if (config === null) return null;
      const apiKey = await readModelKey(settings, config);
      const able = stored?.abilities ?? null;
      return {
        config,
        apiKey,
        abilities: able && { tools: able.tools, images: able.images },
        from: stored === null ? "file" : "settings",
      };
    },
  };
}

/** What the model in use costs in; null where that isn't said, or what is stored can't be read. */
export async function currencyInUse(choice: {
  current(): Promise<ModelChoice | null>;
}): Promise<string | null> {
  try {
    return (await choice.current())?.config.currency ?? null;
  } catch (error) {
    // Choosing another model, which books its test, is the way out.
    if (error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}
