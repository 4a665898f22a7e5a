import { z } from "zod";
import type { Db } from "../../platform/db/connect.ts";
import { parseSetting } from "./parse-setting.ts";
import type { SettingDefinition } from "./setting-definition.ts";
import { findSetting } from "./store.ts";

/** The setting `tasks`: whether runners start tasks automatically. */
export const queueSetting = z.strictObject({ paused: z.boolean("must be true or false") });

/** Which results of tasks go live unattended: all that pass the checks, safe ones, or none. */
export const unattended = z.enum(["all", "safe", "nothing"], "must be one of all, safe, nothing");
export type Unattended = z.infer<typeof unattended>;

export const unattendedDefinition: SettingDefinition = {
  name: "tasks.unattended",
  secret: false,
  description:
    "Which queued changes are published without your review: all (that pass the checks), safe (the default) or nothing.",
  check: (input) => parseSetting("tasks.unattended", unattended, input),
};

/** The current setting: `safe` by default, `nothing` if it can't be read. */
export async function readUnattended(db: Db): Promise<Unattended> {
  const stored = await findSetting(db, unattendedDefinition.name);
  if (!stored) return "safe";
  return unattended.safeParse(stored.value).data ?? "nothing";
}

/** The text to store for the queue. Throws `validation_failed`. */
export function checkQueue(input: unknown): string {
  return JSON.stringify(parseSetting("tasks", queueSetting, input));
}

/**
 * Whether the queue is paused. If it can't be read, it counts as paused: nothing starts
 * automatically until the owner sets it again.
 */
export function parsePause(text: string | null): boolean {
  if (text === null) return false;
  try {
    return queueSetting.parse(JSON.parse(text)).paused;
  } catch {
    return true;
  }
}
