import {
  clean,
  type FieldName,
  fieldNames,
  type Form,
  toForm,
  toValues,
  type Values,
} from "./form.ts";

/** The value of a field without what does not matter: the order of keys, what the server cleans. */
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

/** Whether a field says the same in both. */
export function sameField(one: Values, other: Values, field: FieldName): boolean {
  return canonical(one, field) === canonical(other, field);
}

/** The fields that say something else, in the order of the screen. */
export function findChangedFields(one: Values, other: Values): FieldName[] {
  return fieldNames.filter((field) => !sameField(one, other, field));
}

/** Only the named fields of `values`. */
export function pick(values: Values, fields: readonly FieldName[]): Partial<Values> {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}

/** Whether `changes` change nothing of `values`. */
export function isUnchanged(values: Values, changes: Partial<Values>): boolean {
  return findChangedFields(values, { ...values, ...changes }).length === 0;
}

/** What a save must send: the fields of the form that differ from the saved record. */
export function changesOf(saved: Values, form: Form): Partial<Values> {
  const values = toValues(form);
  return pick(values, findChangedFields(saved, values));
}

/** The form with some fields taken from `values`. */
export function withFields(form: Form, values: Values, fields: readonly FieldName[]): Form {
  const taken = toForm(values, form.slugFollows, form);
  const parts = Object.fromEntries(fields.map((field) => [field, taken[field]]));
  const next: Form = { ...form, ...parts };
  return fields.includes("slug") ? { ...next, slugFollows: false } : next;
}

/**
 * The form after a save: what was sent and has not been written on since becomes what the server
 * kept of it; all else stays as it stands. What the server has in fields that were not sent and
 * not touched comes from it too.
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

/** How a field stands when somebody else saved meanwhile. */
export interface Difference {
  field: FieldName;
  /** Who changed it since the version that both began with. */
  changedBy: "me" | "them" | "both";
}

/** The fields in which my form and their record differ. */
export function conflictsOf(base: Values, form: Form, theirs: Values): Difference[] {
  const mine = toValues(form);
  return findChangedFields(mine, theirs).map((field) => {
    if (sameField(base, mine, field)) return { field, changedBy: "them" };
    return { field, changedBy: sameField(base, theirs, field) ? "me" : "both" };
  });
}

export type Choice = "mine" | "theirs";
export type Choices = Partial<Record<FieldName, Choice>>;

/** What is chosen when nobody chose: what only they changed is theirs, what I wrote stays mine. */
export function choiceOf(difference: Difference, choices: Choices): Choice {
  return choices[difference.field] ?? (difference.changedBy === "them" ? "theirs" : "mine");
}

/** The fields in which something I wrote gives way to theirs. */
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

/** The form that both make together. */
export function merge(base: Values, form: Form, theirs: Values, choices: Choices): Form {
  const taken = conflictsOf(base, form, theirs)
    .filter((difference) => choiceOf(difference, choices) === "theirs")
    .map(({ field }) => field);
  return withFields(form, theirs, taken);
}
