import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { AppError } from "../../kit/errors.ts";
import { parseInputJson } from "../../kit/json.ts";
import { isTimeZone } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { emailSetting, emailTransports } from "./email/email-settings.ts";
import { parseSetting } from "./parse-setting.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import type { Settings } from "./settings.ts";
import { findSetting } from "./store.ts";

/** The site's owner and time zone. */
export const owner = z.strictObject({
  name: line(120, { min: 1 }),
  timeZone: z
    .string("must be text")
    .max(64, "must be a time zone such as Europe/Stockholm")
    .refine(isTimeZone, "must be a time zone such as Europe/Stockholm"),
});
export type Owner = z.infer<typeof owner>;

/**
 * Who can create an account: anybody, only invited addresses, or nobody. Existing accounts stay.
 */
export const accountsSetting = z.strictObject({
  signUp: z.enum(["open", "invited", "closed"], "must be one of open, invited, closed"),
});
export type AccountsSetting = z.infer<typeof accountsSetting>;

/** Whether QA queues clear fixes automatically. */
export const autofixSetting = z.strictObject({
  enabled: z.boolean("must be true or false"),
});

/** Whether to ask daily, over the network, if there is a newer version of Vitrine. */
export const updatesSetting = z.strictObject({
  check: z.boolean("must be true or false"),
});

/** Which changes to projects are added to the changelog automatically. */
export const changelogSetting = z.strictObject({
  published: z.boolean("must be true or false"),
  changed: z.boolean("must be true or false"),
  unpublished: z.boolean("must be true or false"),
});
export type ChangelogSetting = z.infer<typeof changelogSetting>;

function jsonSetting(name: string, schema: z.ZodType, about: string): SettingDefinition {
  return {
    name,
    secret: false,
    description: about,
    check: (input) => JSON.stringify(parseSetting(name, schema, parseInputJson(input))),
  };
}

export const ownerDefinition: SettingDefinition = {
  ...jsonSetting(
    "owner",
    owner,
    'The site\'s owner, as JSON: {"name", "timeZone"}. Defaults to vitrine.json.',
  ),
  rebuild: "the owner was changed",
};
export const accountsDefinition: SettingDefinition = {
  ...jsonSetting(
    "accounts",
    accountsSetting,
    'Who can create an account, as JSON: {"signUp": "open|invited|closed"}.',
  ),
  rebuild: "who can create an account was changed",
};
export const autofixDefinition = jsonSetting(
  "autofix",
  autofixSetting,
  'Whether safe fixes are queued automatically, as JSON: {"enabled": true}.',
);

export const updatesDefinition = jsonSetting(
  "updates",
  updatesSetting,
  'Whether to ask daily for newer versions, which uses the network, as JSON: {"check": true}. Off by default.',
);

export const changelogDefinition = jsonSetting(
  "changelog",
  changelogSetting,
  'Which project changes the changelog reports, as JSON: {"published", "changed", "unpublished": true}.',
);

type Reads = Pick<Settings, "read">;

async function readJson<S extends z.ZodType>(
  settings: Reads,
  definition: SettingDefinition,
  schema: S,
): Promise<z.infer<S> | null> {
  const text = await settings.read(definition);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const message = `The stored setting ${definition.name} can't be read. Set it again.`;
    throw new AppError("unavailable", message, { cause });
  }
}

/**
 * The site's owner: from the settings, otherwise from vitrine.json. Throws `unavailable` if the
 * setting is damaged.
 */
export async function readOwner(settings: Reads, config: { owner: Owner }): Promise<Owner> {
  return (await readJson(settings, ownerDefinition, owner)) ?? config.owner;
}

/**
 * Who can create an account. By default, anybody once email is configured, and nobody before that,
 * because addresses couldn't be confirmed. Throws `unavailable` if the setting is damaged.
 */
export async function readAccountsSetting(settings: Reads): Promise<AccountsSetting> {
  const stored = await readJson(settings, accountsDefinition, accountsSetting);
  if (stored !== null) return stored;
  const transports = await emailTransports(settings);
  const isWorking = transports !== null && (transports.http !== null || transports.smtp !== null);
  return { signUp: isWorking ? "open" : "closed" };
}

/**
 * Whether anybody can create an account, for the site; false if it can't be read. The email
 * settings are encrypted, so this only checks that they exist.
 */
export async function isSignUpOpen(db: Db): Promise<boolean> {
  const stored = await findSetting(db, accountsDefinition.name);
  if (!stored) return (await findSetting(db, emailSetting.name)) !== null;
  try {
    return accountsSetting.parse(JSON.parse(stored.value ?? "")).signUp === "open";
  } catch {
    return false;
  }
}

/**
 * Which changes to projects are added to the changelog: by default all; none if the setting can't
 * be read.
 */
export async function readChangelogSetting(db: Db): Promise<ChangelogSetting> {
  const stored = await findSetting(db, changelogDefinition.name);
  if (!stored) return { published: true, changed: true, unpublished: true };
  try {
    return changelogSetting.parse(JSON.parse(stored.value ?? ""));
  } catch {
    return { published: false, changed: false, unpublished: false };
  }
}

/** Whether to ask for newer versions: off by default, and if the setting can't be read. */
export async function readUpdateCheck(db: Db): Promise<boolean> {
  const stored = await findSetting(db, updatesDefinition.name);
  if (!stored) return false;
  try {
    return updatesSetting.parse(JSON.parse(stored.value ?? "")).check;
  } catch {
    return false;
  }
}

/** The configuration of autofix; `variables` are the keys set by the environment. */
export interface AutofixConfig {
  qa: { autofix: boolean };
  variables: Readonly<Record<string, string>>;
}

/** The environment variable that overrides autofix; undefined if there is none. */
export function autofixVariable({ variables }: AutofixConfig): string | undefined {
  return variables["qa.autofix"];
}

/**
 * Whether QA queues safe fixes automatically: from the environment, otherwise the settings,
 * otherwise vitrine.json. Throws `unavailable` if the setting is damaged.
 */
export async function readAutofix(settings: Reads, config: AutofixConfig): Promise<boolean> {
  if (autofixVariable(config) !== undefined) return config.qa.autofix;
  const input = await readJson(settings, autofixDefinition, autofixSetting);
  return input?.enabled ?? config.qa.autofix;
}
