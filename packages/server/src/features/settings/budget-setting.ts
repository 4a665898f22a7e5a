import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseSetting } from "./parse-setting.ts";

/** At most this much; null is no ceiling. Tokens are those read and written together. */
export const ceiling = z.strictObject({
  tokens: z
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "is less than 1")
    .max(1_000_000_000_000, "is too large")
    .nullable(),
  cost: z
    .number("must be a number")
    .gt(0, "must be more than 0")
    .max(1_000_000_000, "is too large")
    .nullable(),
});
export type Ceiling = z.infer<typeof ceiling>;

/** The setting `budget`: what models may take for a run, a day and a month. */
export const budget = z.strictObject({ run: ceiling, day: ceiling, month: ceiling });
export type BudgetSetting = z.infer<typeof budget>;

const none: Ceiling = { tokens: null, cost: null };
export const noBudget: BudgetSetting = { run: none, day: none, month: none };

/** The text that is stored for a budget. Throws `validation_failed`. */
export function checkBudget(input: unknown): string {
  return JSON.stringify(parseSetting("budget", budget, input));
}

/** The stored budget. Throws `unavailable` when it is none. */
export function parseBudget(text: string | null): BudgetSetting {
  if (text === null) return noBudget;
  try {
    return budget.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError("unavailable", "The stored budget can't be read. Set it again.", { cause });
  }
}
