import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { parseInputJson } from "../../kit/json.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Keyring, seal, unseal } from "../../platform/secrets.ts";
import { type BudgetSetting, checkBudget, parseBudget } from "./budget-setting.ts";
import {
  boundKeyFor,
  checkBoundKey,
  checkModelInput,
  type ModelEndpoint,
  type ModelSetting,
  parseModel,
} from "./model-setting.ts";
import { checkQueue } from "./queue-setting.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import { deleteSetting, findSetting, putSetting, replaceSetting } from "./store.ts";

/** JSON of a {@link ModelSetting}; vitrine.json's model by default. */
export const modelDefinition: SettingDefinition = {
  name: "model",
  secret: false,
  description:
    'The model, as JSON: {"provider": "anthropic|openai|openai-compatible", "id", "baseUrl", "inputPrice", "outputPrice", "cachedInputPrice", "currency", "windowTokens"}.',
  check: (input) => checkModelInput(parseInputJson(input)),
};

/** Encrypted with the provider and the address it was entered for. */
export const modelKeyDefinition: SettingDefinition = {
  name: "model.apiKey",
  secret: true,
  description:
    "The API key of the model's provider. It belongs to the model in use when you set it.",
  check: checkBoundKey,
};

export const budgetDefinition: SettingDefinition = {
  name: "budget",
  secret: false,
  description:
    'The models\' limits, as JSON: {"run", "day", "month"}, each {"tokens": number or null, "cost": number or null}.',
  check: (input) => checkBudget(parseInputJson(input)),
};

export const tasksDefinition: SettingDefinition = {
  name: "tasks",
  secret: false,
  description:
    'The task queue, as JSON: {"paused": true} stops runners from starting queued tasks.',
  check: (input) => checkQueue(parseInputJson(input)),
};

/** A setting as shown: secrets only show whether they are set. */
export interface SettingView {
  name: string;
  secret: boolean;
  set: boolean;
  value: string | null;
}

type InTransaction = (transaction: Db) => Promise<unknown>;

/** The settings of one instance. */
export interface Settings {
  /**
   * Stores a value of 1–30,000 characters and runs `also` in the same transaction. Throws
   * `validation_failed` for other lengths.
   */
  set(definition: SettingDefinition, value: string, also?: InTransaction): Promise<void>;
  /** Removes a value and runs `also` in the same transaction; false if there was none. */
  unset(definition: SettingDefinition, also?: InTransaction): Promise<boolean>;
  view(definition: SettingDefinition): Promise<SettingView>;
  /**
   * The value, decrypted if it is a secret; null if not set. Throws `unavailable` if its key is
   * missing or wrong.
   */
  read(definition: SettingDefinition): Promise<string | null>;
  /**
   * Changes several settings atomically; null removes one. Values are given as they are to be
   * stored. `also` runs in the same transaction.
   */
  write(
    changes: readonly [SettingDefinition, string | null][],
    also?: InTransaction,
  ): Promise<void>;
  /** Replaces a value if it is still `before`; otherwise false. */
  replace(definition: SettingDefinition, before: string, after: string): Promise<boolean>;
}

/** In characters; ten identity providers with all fields at their maximum fit. */
const maxValueLength = 30_000;

function checkValue(name: string, value: string): string {
  const clean = cleanText(value);
  if (clean === "" || clean.length > maxValueLength) {
    throw new AppError("validation_failed", `${name} takes 1 to ${maxValueLength} characters.`, {
      fields: { value: `must be 1 to ${maxValueLength} characters` },
    });
  }
  return clean;
}

/**
 * Reads and writes settings; secrets are encrypted with the instance's keyring under their name.
 */
export function makeSettings(deps: { db: Db; keyring: Keyring; clock: Clock }): Settings {
  const { db, keyring, clock } = deps;
  const put = (to: Db, { name, secret }: SettingDefinition, text: string) =>
    putSetting(
      to,
      name,
      secret ? { value: null, sealed: seal(keyring, name, text) } : { value: text, sealed: null },
      isoTime(clock.now()),
    );
  return {
    async set(definition, value, also) {
      const clean = checkValue(definition.name, value);
      const text = definition.check?.(clean) ?? clean;
      await db.transaction().execute(async (transaction) => {
        await put(transaction, definition, text);
        await also?.(transaction);
      });
    },
    unset: ({ name }, also) =>
      db.transaction().execute(async (transaction) => {
        const removed = await deleteSetting(transaction, name);
        if (removed) await also?.(transaction);
        return removed;
      }),
    async view({ name, secret }) {
      const stored = await findSetting(db, name);
      return { name, secret, set: stored !== null, value: secret ? null : (stored?.value ?? null) };
    },
    async read({ name }) {
      const stored = await findSetting(db, name);
      if (stored === null) return null;
      return stored.sealed === null ? stored.value : unseal(keyring, name, stored.sealed);
    },
    write: (changes, also) =>
      db.transaction().execute(async (transaction) => {
        for (const [definition, text] of changes) {
          if (text === null) await deleteSetting(transaction, definition.name);
          else await put(transaction, definition, text);
        }
        await also?.(transaction);
      }),
    replace: ({ name }, before, after) =>
      replaceSetting(db, name, { before, after, at: isoTime(clock.now()) }),
  };
}

/** The model selected in the settings, or null. Throws `unavailable` if the setting is damaged. */
export async function readModel(settings: Pick<Settings, "read">): Promise<ModelSetting | null> {
  const text = await settings.read(modelDefinition);
  return text === null ? null : parseModel(text);
}

/** The key entered for this provider and address, or null. */
export async function readModelKey(
  settings: Pick<Settings, "read">,
  endpoint: ModelEndpoint,
): Promise<string | null> {
  return boundKeyFor(await settings.read(modelKeyDefinition), endpoint);
}

/** The limits on models. */
export async function readBudget(settings: Pick<Settings, "read">): Promise<BudgetSetting> {
  return parseBudget(await settings.read(budgetDefinition));
}
