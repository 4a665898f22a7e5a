import { AppError } from "../../kit/errors.ts";
import { identityDefinition } from "./identity/identity-settings.ts";
import { parseInputJson } from "../../kit/json.ts";
import { lookDefinition } from "./look/look-setting.ts";
import { checked } from "./checked.ts";
import { mailSetting } from "./mail/mail-settings.ts";
import { storedMail } from "./mail/schema.ts";
import {
  budgetDefinition,
  modelDefinition,
  modelKeyDefinition,
  type SettingDefinition,
  tasksDefinition,
} from "./settings.ts";
import { accountsDefinition, autofixDefinition, ownerDefinition } from "./site-settings.ts";

const mailDefinition: SettingDefinition = {
  ...mailSetting,
  check: (said) => JSON.stringify(checked("mail", storedMail, parseInputJson(said))),
};

/** All settings, in the order they are listed. */
export const settingDefinitions: readonly SettingDefinition[] = [
  ownerDefinition,
  lookDefinition,
  modelDefinition,
  modelKeyDefinition,
  budgetDefinition,
  mailDefinition,
  identityDefinition,
  accountsDefinition,
  autofixDefinition,
  tasksDefinition,
];

/** The definition of this name. Throws `not_found` with the names there are. */
export function findDefinition(name: string): SettingDefinition {
  const definition = settingDefinitions.find((candidate) => candidate.name === name);
  if (definition) return definition;
  const names = settingDefinitions.map((candidate) => candidate.name);
  throw new AppError("not_found", `There is no such setting. There are: ${names.join(", ")}.`);
}
