import { AppError } from "../../kit/errors.ts";
import { identityDefinition } from "./identity/identity-settings.ts";
import { parseInputJson } from "../../kit/json.ts";
import { accentDefinition, themeDefinition } from "./theme/theme-setting.ts";
import { unattendedDefinition } from "./queue-setting.ts";
import { parseSetting } from "./parse-setting.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import { emailSetting } from "./email/email-settings.ts";
import { storedEmail } from "./email/schema.ts";
import {
  budgetDefinition,
  modelDefinition,
  modelKeyDefinition,
  tasksDefinition,
} from "./settings.ts";
import {
  accountsDefinition,
  autofixDefinition,
  changelogDefinition,
  ownerDefinition,
  updatesDefinition,
} from "./site-settings.ts";

const emailDefinition: SettingDefinition = {
  ...emailSetting,
  check: (input) => JSON.stringify(parseSetting("mail", storedEmail, parseInputJson(input))),
};

/** All settings, in the order in which they are listed. */
export const settingDefinitions: readonly SettingDefinition[] = [
  ownerDefinition,
  themeDefinition,
  accentDefinition,
  modelDefinition,
  modelKeyDefinition,
  budgetDefinition,
  emailDefinition,
  identityDefinition,
  accountsDefinition,
  autofixDefinition,
  changelogDefinition,
  tasksDefinition,
  unattendedDefinition,
  updatesDefinition,
];

/** Former names of settings, which `setting` still accepts. */
const oldNames: Readonly<Record<string, string>> = { look: "theme" };

/** The definition with this name. Throws `not_found` with the existing names. */
export function findDefinition(name: string): SettingDefinition {
  const definition = settingDefinitions.find(
    (candidate) => candidate.name === (oldNames[name] ?? name),
  );
  if (definition) return definition;
  const names = settingDefinitions.map((candidate) => candidate.name);
  throw new AppError("not_found", `This setting doesn't exist. Settings are: ${names.join(", ")}.`);
}
