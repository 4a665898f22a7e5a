import { z } from "zod";
import { parseSetting } from "./parse-setting.ts";

/** The setting `tasks`: whether runners take nothing up by themselves. */
export const queueSetting = z.strictObject({ paused: z.boolean("is neither true nor false") });

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
