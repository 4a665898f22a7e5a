import type { Flag } from "../../../../../../server/src/features/design/schema.ts";
import { pathParts, locationOf } from "../errors.ts";
import { clean, fieldLabels, type FieldName, type Form } from "../form.ts";

/** Content that isn't in the brief, with its place on the screen. */
export interface PlacedFlag extends Flag {
  /** The name of the control, with the item's key: `metrics.m0.value`. */
  path: string;
}

/** The server's flags assigned to the form's controls. */
export function placeFlags(form: Form, flags: readonly Flag[]): PlacedFlag[] {
  return flags.flatMap((flag) => {
    const place = locationOf(form, flag.path, "");
    return place === null ? [] : [{ ...flag, path: place[0] }];
  });
}

/** The text of a control; null if it no longer exists. */
export function textAt(form: Form, path: string): string | null {
  const { field, key, part } = pathParts(path);
  const list = form[field as FieldName];
  if (typeof list === "string") return list;
  if (!Array.isArray(list)) return null;
  if (key === undefined) return list.join("\n");
  const item = (list as readonly object[]).find((one) => (one as { key?: string }).key === key);
  const value: unknown = item && (item as Record<string, unknown>)[part];
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "string" ? value : null;
}

/** Flags whose text is unchanged; others are resolved. */
export function openFlags(form: Form, flags: readonly PlacedFlag[]): PlacedFlag[] {
  return flags.filter(({ path, text }) => textAt(form, path)?.includes(text) === true);
}

/** Reassigns flags in a form with new item keys, by their text. */
export function findFlags(form: Form, flags: readonly PlacedFlag[]): PlacedFlag[] {
  return flags.flatMap((flag) => {
    if (textAt(form, flag.path)?.includes(flag.text)) return [flag];
    const { field, key, part } = pathParts(flag.path);
    const list: unknown = form[field as FieldName];
    if (key === undefined || !Array.isArray(list)) return [];
    const paths = (list as readonly { key: string }[]).map(
      (item) => `${field}.${item.key}.${part}`,
    );
    const path = paths.find((one) => textAt(form, one)?.includes(flag.text));
    return path === undefined ? [] : [{ ...flag, path }];
  });
}

/** Where a flag is: "Metrics 2". */
export function whereLabel(form: Form, path: string): string {
  const { field, key } = pathParts(path);
  const label = fieldLabels[field as FieldName] ?? field;
  const list = form[field as FieldName];
  if (key === undefined || !Array.isArray(list)) return label;
  const index = (list as readonly object[]).findIndex(
    (one) => (one as { key?: string }).key === key,
  );
  return index < 0 ? label : `${label} ${index + 1}`;
}

/** The brief of a new project: the description and further instructions. */
export function joinBrief(form: Form): string {
  return [clean(form.body), clean(form.brief)].filter((text) => text !== "").join("\n\n");
}
