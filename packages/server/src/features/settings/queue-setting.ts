import { z } from "zod";
import type { Db } from "../../platform/db/connect.ts";
import { parseSetting } from "./parse-setting.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import { findSetting } from "./store.ts";

/** The setting `tasks`: whether runners take nothing up by themselves. */
export const queueSetting = z.strictObject({ paused: z.boolean("must be true or false") });

/** How much of what tasks make goes live unattended: all that passes the gates, what is safe, nothing. */
export const unattended = z.enum(["all", "safe", "nothing"], "must be one of all, safe, nothing");
export type Unattended = z.infer<typeof unattended>;

export const unattendedDefinition: SettingDefinition = {
  name: "tasks.unattended",
  secret: false,
  description:
    "Which queued changes are published without your review: all (that pass the checks), safe (the default) or nothing.",
  check: (input) => parseSetting("tasks.unattended", unattended, input),
};

/** The setting as it is now: `safe` unless set, `nothing` where it can't be read. */
export async function readUnattended(db: Db): Promise<Unattended> {
  const stored = await findSetting(db, unattendedDefinition.name);
  if (!stored) return "safe";
  return unattended.safeParse(stored.value).data ?? "nothing";
}

/** The text that is stored for the queue. Throws `validation_failed`. */
export function checkQueue(input: unknown): string {
  return JSON.stringify(parseSetting("tasks", queueSetting, input));
}

/**
 * Whether the queue is paused. What can't be read counts as paused: nothing is begun unasked until
 * somebody has said so again.
 */
export function parsePause(text: string | null): boolean {
  if (text === null) return false;
  try {
    return queueSetting.parse(JSON.parse(text)).paused;
  } catch {
    return true;
  }
}
