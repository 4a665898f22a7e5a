import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import {
  assertAddress,
  bindKey,
  boundKeyFor,
  modelText,
  type ModelSetting,
  parseModel,
} from "../settings/model-setting.ts";
import { modelDefinition, modelKeyDefinition, type Settings } from "../settings/settings.ts";
import type { StepTokens } from "./budget.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { configOf, type ModelChoice, type ModelConfig } from "./model-choice.ts";
import type { Probe, ProbeOptions } from "./probe.ts";
import type { ModelBody, ModelTest, ModelView, TestedModel } from "./schema.ts";
import { bookedModel, stepUse } from "./step-use.ts";

/** Tests the abilities of a model; see `probeModel`. */
export type Prober = (
  candidate: Pick<ModelChoice, "config" | "apiKey">,
  options: Required<Pick<ProbeOptions, "signal" | "onLost">>,
) => Promise<Probe>;

export interface ModelSettingsDependencies {
  settings: Settings;
  choice: { current(): Promise<ModelChoice | null> };
  ledger: Pick<Ledger, "assertOpen" | "book">;
  clock: Pick<Clock, "now">;
  probe: Prober;
}

const noModel: ModelView = {
  from: null,
  provider: null,
  id: null,
  baseUrl: null,
  inputPrice: null,
  outputPrice: null,
  cachedInputPrice: null,
  currency: null,
  windowTokens: null,
  keySet: false,
  abilities: null,
};

/**
 * What can be shown about the selected model. Throws `unavailable` if the stored settings can't be
 * read.
 */
export async function viewModel({
  settings,
  choice,
}: Pick<ModelSettingsDependencies, "settings" | "choice">): Promise<ModelView> {
  const current = await choice.current();
  if (current === null) return noModel;
  const { config, apiKey, from } = current;
  const text = from === "settings" ? await settings.read(modelDefinition) : null;
  return {
    from,
    provider: config.provider,
    id: config.id,
    baseUrl: config.baseUrl ?? null,
    inputPrice: config.inputPrice ?? null,
    outputPrice: config.outputPrice ?? null,
    cachedInputPrice: config.cachedInputPrice ?? null,
    currency: config.currency ?? null,
    windowTokens: config.windowTokens ?? null,
    keySet: apiKey !== null,
    abilities: text === null ? null : parseModel(text).abilities,
  };
}

/**
 * Tests a model and records the usage, even if the test reaches a limit or fails. Throws
 * `throttled` if a limit is already reached.
 */
async function tested(
  { ledger, probe }: ModelSettingsDependencies,
  candidate: { config: ModelConfig; apiKey: string | null },
  signal: AbortSignal,
): Promise<ModelTest> {
  await ledger.assertOpen();
  const model = bookedModel(candidate.config);
  async function book(tokens: StepTokens): Promise<void> {
    const booked = ledger.book({ ...stepUse(model, tokens), purpose: "test", runId: null });
    // The owner asked for the test, and it is done.
    await booked.catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== "upstream_failed") throw error;
    });
  }
  let lost: StepTokens | null = null;
  try {
    const { tokens, ...test } = await probe(candidate, {
      signal,
      onLost: (taken) => (lost = taken),
    });
    await book(tokens);
    return test;
  } finally {
    if (lost !== null) await book(lost);
  }
}

function missingKey(message: string): AppError {
  return new AppError("validation_failed", `The key ${message}.`, { fields: { apiKey: message } });
}

/** The key for a model: a new one, the stored one if it was entered for this place, or none. */
async function keyFor(settings: Settings, body: ModelBody): Promise<string | null> {
  const newKey = body.apiKey?.trim();
  if (newKey) {
    bindKey(newKey, body);
    return newKey;
  }
  if (body.apiKey === undefined) {
    const stored = await settings.read(modelKeyDefinition);
    const own = boundKeyFor(stored, body);
    if (own !== null) return own;
    if (stored !== null) {
      throw missingKey("must be entered again: the saved one belongs to another address");
    }
  }
  if (body.provider !== "openai-compatible") throw missingKey("is required");
  return null;
}

function settingOf(body: ModelBody): ModelSetting {
  const { apiKey: _, ...setting } = body;
  return { ...setting, abilities: null };
}

/**
 * Tests a model and, if it responds, stores it with its abilities. Throws `validation_failed`, and
 * `upstream_failed` if it doesn't respond; both change nothing.
 */
export async function saveModel(
  deps: ModelSettingsDependencies,
  body: ModelBody,
  signal: AbortSignal,
): Promise<TestedModel> {
  const { settings, clock } = deps;
  assertAddress(body);
  const apiKey = await keyFor(settings, body);
  const setting = settingOf(body);
  const test = await tested(deps, { config: configOf(setting), apiKey }, signal);
  const { tools, images } = test;
  setting.abilities = { tools, images, testedAt: isoTime(clock.now()) };
  await settings.write([
    [modelDefinition, modelText(setting)],
    [modelKeyDefinition, apiKey === null ? null : bindKey(apiKey, body)],
  ]);
  return { model: await viewModel(deps), test };
}

/**
 * Tests the selected model again and stores its abilities, unless a different one was selected in
 * the meantime. Throws `model_not_configured` if there is none, `upstream_failed` if it doesn't
 * respond.
 */
export async function testModel(
  deps: ModelSettingsDependencies,
  signal: AbortSignal,
): Promise<TestedModel> {
  const { settings, choice, clock } = deps;
  const before = await settings.read(modelDefinition);
  const current = await choice.current();
  if (current === null) {
    throw new AppError("model_not_configured", "No model is chosen.");
  }
  const test = await tested(deps, current, signal);
  if (before !== null) {
    const { tools, images } = test;
    const abilities = { tools, images, testedAt: isoTime(clock.now()) };
    const after = modelText({ ...parseModel(before), abilities });
    await settings.replace(modelDefinition, before, after);
  }
  return { model: await viewModel(deps), test };
}

/** Removes the selected model and its key; the one in vitrine.json, if any, applies again. */
export async function clearModel(deps: ModelSettingsDependencies): Promise<ModelView> {
  await deps.settings.write([
    [modelDefinition, null],
    [modelKeyDefinition, null],
  ]);
  return viewModel(deps);
}
