import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { ModelSetting } from "../settings/model-setting.ts";
import { readModel, readModelKey, type Settings } from "../settings/settings.ts";

/** A model and its location, with prices per million tokens if known. */
export interface ModelConfig {
  provider: "anthropic" | "openai" | "openai-compatible";
  id: string;
  /** Undefined means the provider's own address. */
  baseUrl?: string | undefined;
  inputPrice?: number | undefined;
  outputPrice?: number | undefined;
  cachedInputPrice?: number | undefined;
  currency?: string | undefined;
  /** Its context window in tokens; by default, what is usual for the provider. */
  windowTokens?: number | undefined;
}

/** The selected model. */
export interface ModelChoice {
  config: ModelConfig;
  /** The key entered for this provider and address. */
  apiKey: string | null;
  /** The abilities shown in the last test; null if it was never tested. */
  abilities: { tools: boolean; images: boolean } | null;
  /** Whether it was selected in the settings or in vitrine.json. */
  from: "settings" | "file";
}

/** Known abilities of the selected model; null if there is none. */
export type UsableModel = { canBuild: boolean; canSee: boolean } | null;

/** The abilities of a selected model. */
export function usableModelOf(choice: ModelChoice | null): UsableModel {
  if (choice === null) return null;
  const { config, apiKey, abilities } = choice;
  const hasKey = config.provider === "openai-compatible" || (apiKey !== null && apiKey !== "");
  return { canBuild: hasKey && abilities?.tools !== false, canSee: abilities?.images !== false };
}

/** The parts of a stored model that a client needs. */
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

/** Finds the selected model at the time of the call: settings take precedence over vitrine.json. */
export function makeModelChoice(deps: {
  settings: Pick<Settings, "read">;
  config: Config["model"];
}): { current(): Promise<ModelChoice | null> } {
  const { settings } = deps;
  return {
    /** Throws `unavailable` if the stored settings can't be read. */
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

/** The currency of the selected model; null if unknown or if the stored settings can't be read. */
export async function currencyInUse(choice: {
  current(): Promise<ModelChoice | null>;
}): Promise<string | null> {
  try {
    return (await choice.current())?.config.currency ?? null;
  } catch (error) {
    // The owner can recover by choosing another model, which records its test.
    if (error instanceof AppError && error.code === "unavailable") return null;
    throw error;
  }
}
