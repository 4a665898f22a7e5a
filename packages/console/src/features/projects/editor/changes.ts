import {
  clean,
  type FieldName,
  fieldNames,
  type Form,
  toForm,
  toValues,
  type Values,
} from "./form.ts";

/**
 * A field's value without irrelevant differences: the order of keys, and what the server
 * normalizes.
 */
function canonical(values: Values, field: FieldName): string {
  const parts: Partial<Record<FieldName, unknown>> = {
    gallery: values.gallery.map(({ src, caption, alt, isDecorative }) => [
      src,
      caption,
      alt ?? "",
      isDecorative === true,
    ]),
    metrics: values.metrics.map(({ value, label, note }) => [value, label, note ?? ""]),
    skills: values.skills.map(({ group, items }) => [group, items]),
  };
  return JSON.stringify(parts[field] ?? values[field], (_key, part: unknown) =>
    typeof part === "string" ? clean(part) : part,
  );
}

/** Whether a field has the same value in both. */
export function sameField(one: Values, other: Values, field: FieldName): boolean {
  return canonical(one, field) === canonical(other, field);
}

/** The fields with different values, in the order of the screen. */
export function findChangedFields(one: Values, other: Values): FieldName[] {
  return fieldNames.filter((field) => !sameField(one, other, field));
}

/** Only the named fields of `values`. */
export function pick(values: Values, fields: readonly FieldName[]): Partial<Values> {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}

/** Whether `changes` don't change `values`. */
export function isUnchanged(values: Values, changes: Partial<Values>): boolean {
  return findChangedFields(values, { ...values, ...changes }).length === 0;
}

/** The request of a save: the form's fields that differ from the saved record. */
export function changesOf(saved: Values, form: Form): Partial<Values> {
  const values = toValues(form);
  return pick(values, findChangedFields(saved, values));
}

/** The form with some fields replaced by `values`. */
export function withFields(form: Form, values: Values, fields: readonly FieldName[]): Form {
  const taken = toForm(values, form.slugFollows, form);
  const parts = Object.fromEntries(fields.map((field) => [field, taken[field]]));
  const next: Form = { ...form, ...parts };
  return fields.includes("slug") ? { ...next, slugFollows: false } : next;
}

/**
 * The form after a save: sent fields that weren't edited since get the server's values; others
 * stay. Unsent, unedited fields also get the server's values.
 */
export function afterSave(
  form: Form,
  before: Values,
  sent: Partial<Values>,
  response: Values,
): Form {
  const now = toValues(form);
  const known = { ...before, ...sent };
  const settled = fieldNames.filter(
    (field) => sameField(known, now, field) && !sameField(response, now, field),
  );
  return withFields(form, response, settled);
}

/** A field that somebody else has saved in the meantime. */
export interface Difference {
  field: FieldName;
  /** Who changed it since the common version. */
  changedBy: "me" | "them" | "both";
}

/** The fields that differ between my form and their record. */
export function conflictsOf(base: Values, form: Form, theirs: Values): Difference[] {
  const mine = toValues(form);
  return findChangedFields(mine, theirs).map((field) => {
    if (sameField(base, mine, field)) return { field, changedBy: "them" };
    return { field, changedBy: sameField(base, theirs, field) ? "me" : "both" };
  });
}

export type Choice = "mine" | "theirs";
export type Choices = Partial<Record<FieldName, Choice>>;

/** The default choice: theirs if only they changed it, otherwise mine. */
export function choiceOf(difference: Difference, choices: Choices): Choice {
  return choices[difference.field] ?? (difference.changedBy === "them" ? "theirs" : "mine");
}

/** My changed fields that would be overwritten by theirs. */
export function overriddenFields(
  base: Values,
  form: Form,
  theirs: Values,
  choices: Choices,
): FieldName[] {
  return conflictsOf(base, form, theirs)
    .filter((difference) => difference.changedBy !== "them")
    .filter((difference) => choiceOf(difference, choices) === "theirs")
    .map(({ field }) => field);
}

/** The form merged from both. */
export function merge(base: Values, form: Form, theirs: Values, choices: Choices): Form {
  const taken = conflictsOf(base, form, theirs)
    .filter((difference) => choiceOf(difference, choices) === "theirs")
    .map(({ field }) => field);
  return withFields(form, theirs, taken);
}
