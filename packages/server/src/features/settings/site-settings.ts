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

/** Whose site it is, and whose time. */
export const owner = z.strictObject({
  name: line(120, { min: 1 }),
  timeZone: z
    .string("must be text")
    .max(64, "must be a time zone such as Europe/Stockholm")
    .refine(isTimeZone, "must be a time zone such as Europe/Stockholm"),
});
export type Owner = z.infer<typeof owner>;

/**
 * Who may make an account: anybody, only addresses that the owner has invited to a project, or
 * nobody. Who has one keeps it.
 */
export const accountsSetting = z.strictObject({
  signUp: z.enum(["open", "invited", "closed"], "must be one of open, invited, closed"),
});
export type AccountsSetting = z.infer<typeof accountsSetting>;

/** Whether what QA finds is given to the queue unasked, where its repair is clear. */
export const autofixSetting = z.strictObject({
  enabled: z.boolean("must be true or false"),
});

/** Which changes of projects the changelog tells visitors by itself. */
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
  rebuild: "who may make an account was changed",
};
export const autofixDefinition = jsonSetting(
  "autofix",
  autofixSetting,
  'Whether safe fixes are queued automatically, as JSON: {"enabled": true}.',
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

/** Whose site it is now: as set, else as vitrine.json says. Throws `unavailable` for a damaged one. */
export async function readOwner(settings: Reads, config: { owner: Owner }): Promise<Owner> {
  return (await readJson(settings, ownerDefinition, owner)) ?? config.owner;
}

/**
 * Who may make an account. Unless set, anybody once email is set up, and nobody before: an address
 * couldn't be confirmed. Throws `unavailable` for a damaged one.
 */
export async function readAccountsSetting(settings: Reads): Promise<AccountsSetting> {
  const stored = await readJson(settings, accountsDefinition, accountsSetting);
  if (stored !== null) return stored;
  const transports = await emailTransports(settings);
  const isWorking = transports !== null && (transports.http !== null || transports.smtp !== null);
  return { signUp: isWorking ? "open" : "closed" };
}

/**
 * Whether anybody may make an account, for the site; what can't be read counts as no. How email
 * leaves is sealed: that it has been set is all that is known of it here.
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

/** Which changes of projects the changelog tells: all, unless set; none where that can't be read. */
export async function readChangelogSetting(db: Db): Promise<ChangelogSetting> {
  const stored = await findSetting(db, changelogDefinition.name);
  if (!stored) return { published: true, changed: true, unpublished: true };
  try {
    return changelogSetting.parse(JSON.parse(stored.value ?? ""));
  } catch {
    return { published: false, changed: false, unpublished: false };
  }
}

/** What the configuration says of autofix; `variables` are the keys that the environment sets. */
export interface AutofixConfig {
  qa: { autofix: boolean };
  variables: Readonly<Record<string, string>>;
}

/** The environment variable that sets autofix, whatever is stored; undefined where none does. */
export function autofixVariable({ variables }: AutofixConfig): string | undefined {
  return variables["qa.autofix"];
}

/**
 * Whether QA queues safe fixes unasked: as the environment says, else as stored, else as vitrine.json
 * says. Throws `unavailable` for a damaged one.
 */
export async function readAutofix(settings: Reads, config: AutofixConfig): Promise<boolean> {
  if (autofixVariable(config) !== undefined) return config.qa.autofix;
  const input = await readJson(settings, autofixDefinition, autofixSetting);
  return input?.enabled ?? config.qa.autofix;
}
