import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import { parseSetting } from "./parse-setting.ts";

/** An upper limit; null is none. Tokens are input and output together. */
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

/** The setting `budget`: limits on models per run, day, and month. */
export const budget = z.strictObject({ run: ceiling, day: ceiling, month: ceiling });
export type BudgetSetting = z.infer<typeof budget>;

const none: Ceiling = { tokens: null, cost: null };
export const noBudget: BudgetSetting = { run: none, day: none, month: none };

/** The text to store for a budget. Throws `validation_failed`. */
export function checkBudget(input: unknown): string {
  return JSON.stringify(parseSetting("budget", budget, input));
}

/** The stored budget. Throws `unavailable` if it is invalid. */
export function parseBudget(text: string | null): BudgetSetting {
  if (text === null) return noBudget;
  try {
    return budget.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError("unavailable", "The stored budget can't be read. Set it again.", { cause });
  }
}
