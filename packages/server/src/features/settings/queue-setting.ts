import { z } from "zod";
import { checked } from "./checked.ts";

/** The setting `tasks`: whether runners take nothing up by themselves. */
export const queueSetting = z.strictObject({ paused: z.boolean("is neither true nor false") });

/** The text that is stored for the queue. Throws `validation_failed`. */
export function checkQueue(said: unknown): string {
  return JSON.stringify(checked("tasks", queueSetting, said));
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
