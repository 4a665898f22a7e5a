import type { BudgetView } from "../../../../server/src/features/agent/schema.ts";
import type { FieldErrors } from "../forms/useForm.ts";
import { numberOf, parseInteger } from "./number.ts";

export type { BudgetView };

export const spans = ["run", "day", "month"] as const;
export type SpanName = (typeof spans)[number];

/** By span and unit, such as `day.tokens`, as typed. */
export type BudgetForm = Readonly<Record<`${SpanName}.${"tokens" | "cost"}`, string>>;

export function formOf(budget: BudgetView): BudgetForm {
  return Object.fromEntries(
    spans.flatMap((span) => [
      [`${span}.tokens`, budget[span].tokens?.toLocaleString("en-GB") ?? ""],
      [`${span}.cost`, budget[span].cost === null ? "" : String(budget[span].cost)],
    ]),
  ) as BudgetForm;
}

const tokensOf = (form: BudgetForm, span: SpanName) => parseInteger(form[`${span}.tokens`]);
const costOf = (form: BudgetForm, span: SpanName) => numberOf(form[`${span}.cost`]);

export function missing(form: BudgetForm): FieldErrors {
  const found: FieldErrors = {};
  const wrong = (value: number | null): boolean => value !== null && !(value > 0);
  for (const span of spans) {
    if (wrong(tokensOf(form, span))) {
      found[`${span}.tokens`] = "Enter a whole number above 0, or leave it blank.";
    }
    if (wrong(costOf(form, span))) {
      found[`${span}.cost`] = "Enter an amount above 0, or leave it blank.";
    }
  }
  return found;
}

export function bodyOf(form: BudgetForm): Record<SpanName, object> {
  const of = (span: SpanName) => ({ tokens: tokensOf(form, span), cost: costOf(form, span) });
  return { run: of("run"), day: of("day"), month: of("month") };
}
