import { z } from "zod";
import { unattended } from "./queue-setting.ts";
import {
  accountsSetting,
  autofixSetting,
  changelogSetting,
  owner,
  updatesSetting,
} from "./site-settings.ts";

/** Whether a value is set in the settings or in vitrine.json. */
const from = z.enum(["settings", "file"]);

export const ownerBody = owner;
export const ownerView = z.object({ ...owner.shape, from });
export type OwnerView = z.infer<typeof ownerView>;

/** How a name and a time zone would be shown. */
export const ownerTest = z.object({ name: z.string(), now: z.string() });
export type OwnerTest = z.infer<typeof ownerTest>;

export const accountsBody = accountsSetting;
export const accountsView = z.object({
  ...accountsSetting.shape,
  /** The number of accounts, and of those with a confirmed address. */
  accounts: z.int(),
  verified: z.int(),
});
export type AccountsView = z.infer<typeof accountsView>;

export const autofixBody = autofixSetting;
export const autofixView = z.object({
  ...autofixSetting.shape,
  from: z.enum([...from.options, "environment"]),
  /** The environment variable that overrides the stored value; null if there is none. */
  variable: z.string().nullable(),
});
export type AutofixView = z.infer<typeof autofixView>;

/** What would be queued now: the number of findings and of tasks. */
export const autofixTest = z.object({ findings: z.int(), tasks: z.int() });
export type AutofixTest = z.infer<typeof autofixTest>;

export const changelogBody = changelogSetting;
export const changelogView = changelogSetting;
export type ChangelogView = z.infer<typeof changelogView>;

export const updatesBody = updatesSetting;
export const updatesView = updatesSetting;
export type UpdatesView = z.infer<typeof updatesView>;

export const tasksBody = z.strictObject({ unattended });
export const tasksView = z.object({ unattended });
export type TasksView = z.infer<typeof tasksView>;

export const noBody = z.strictObject({}).nullish();
