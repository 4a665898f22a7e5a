import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Keyring, seal, unseal } from "../../platform/secrets.ts";
import { deleteSetting, findSetting, putSetting } from "./store.ts";

/** A setting that exists: its name, and whether its value is a secret, which is stored sealed. */
export interface SettingDefinition {
  name: string;
  secret: boolean;
  about: string;
}

const modelKey: SettingDefinition = {
  name: "model.apiKey",
  secret: true,
  about: "The key of the model's provider.",
};

/** All settings, in the order they are listed. */
export const settingDefinitions: readonly SettingDefinition[] = [modelKey];

/** What a setting reads as: a secret only tells whether it is set. */
export interface SettingView {
  name: string;
  secret: boolean;
  set: boolean;
  value: string | null;
}

/** The settings of one instance. */
export interface Settings {
  /** Stores a value of 1–4,000 characters. Throws `validation_failed` for another. */
  set(definition: SettingDefinition, value: string): Promise<void>;
  /** Removes a value; false when there was none. */
  unset(definition: SettingDefinition): Promise<boolean>;
  view(definition: SettingDefinition): Promise<SettingView>;
  /** The value itself, a secret opened; null when not set. Throws `unavailable` when its key is missing or wrong. */
  read(definition: SettingDefinition): Promise<string | null>;
}

const longestValue = 4000;

function checkValue(name: string, value: string): string {
  const clean = cleanText(value);
  if (clean === "" || clean.length > longestValue) {
    throw new AppError("validation_failed", `${name} takes 1 to ${longestValue} characters.`, {
      fields: { value: `takes 1 to ${longestValue} characters` },
    });
  }
  return clean;
}

/** The definition of this name. Throws `not_found` with the names there are. */
export function findDefinition(name: string): SettingDefinition {
  const definition = settingDefinitions.find((candidate) => candidate.name === name);
  if (definition) return definition;
  const names = settingDefinitions.map((candidate) => candidate.name);
  throw new AppError("not_found", `There is no such setting. There are: ${names.join(", ")}.`);
}

/** Reads and writes settings; secrets are sealed with the instance's keyring under their name. */
export function makeSettings(deps: { db: Db; keyring: Keyring; clock: Clock }): Settings {
  const { db, keyring, clock } = deps;
  return {
    async set({ name, secret }, value) {
      const clean = checkValue(name, value);
      const stored = secret
        ? { value: null, sealed: seal(keyring, name, clean) }
        : { value: clean, sealed: null };
      await putSetting(db, name, stored, isoTime(clock.now()));
    },
    unset: ({ name }) => deleteSetting(db, name),
    async view({ name, secret }) {
      const stored = await findSetting(db, name);
      return { name, secret, set: stored !== null, value: secret ? null : (stored?.value ?? null) };
    },
    async read({ name }) {
      const stored = await findSetting(db, name);
      if (stored === null) return null;
      return stored.sealed === null ? stored.value : unseal(keyring, name, stored.sealed);
    },
  };
}

/** The key of the model's provider, or null when none is set. */
export function readModelKey(settings: Settings): Promise<string | null> {
  return settings.read(modelKey);
}
