import { pathParts } from "../errors.ts";
import type { Form, ListName, TextField } from "../form.ts";

export interface TextLocation {
  /** The name of the control with the text. */
  path: string;
  /** As in the field; the page may transform its letters. */
  written: string;
  /** Whether the page's text can be edited and applied unchanged. */
  writable: boolean;
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
const folded = (text: string): string => plain(text).toLowerCase();

/** A Markdown block as shown on the page. */
function readable(block: string): string {
  return plain(
    block
      .replace(/^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s?)/gm, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[*_`]+/g, ""),
  );
}

const single: readonly TextField[] = ["name", "lede", "summary", "kind", "period", "role"];

function* textLocations(form: Form): Generator<[path: string, text: string, writable: boolean]> {
  for (const field of single) yield [field, form[field], true];
  for (const { key, value, label, note } of form.metrics) {
    yield [`metrics.${key}.value`, value, true];
    yield [`metrics.${key}.label`, label, true];
    yield [`metrics.${key}.note`, note, true];
  }
  for (const { key, caption } of form.gallery) yield [`gallery.${key}.caption`, caption, true];
  for (const { key, group, items } of form.skills) {
    yield [`skills.${key}.group`, group, true];
    for (const item of items) yield [`skills.${key}.items`, item, false];
    yield [`skills.${key}.items`, items.join(", "), false];
  }
  for (const field of ["categories", "stack"] as const) {
    for (const word of form[field]) yield [field, word, false];
    yield [field, form[field].join(", "), false];
  }
}

function inBody(body: string, text: string): TextLocation | null {
  const blocks = body.split(/\n+/).filter((block) => block.trim() !== "");
  const wanted = folded(text);
  const block = blocks.find((one) => folded(readable(one)) === wanted);
  const near =
    block ??
    (wanted.length > 7 ? blocks.find((one) => folded(readable(one)).includes(wanted)) : undefined);
  if (near === undefined) return null;
  const writable = body.split(text).length === 2;
  return { path: "body", written: text, writable };
}

/** The field that a text on the page comes from; null if it isn't from the record. */
export function locateText(form: Form, shown: string): TextLocation | null {
  const text = plain(shown);
  if (text === "") return null;
  for (const [path, value, writable] of textLocations(form)) {
    if (value.trim() === "" || folded(value) !== folded(text)) continue;
    return { path, written: value, writable: writable && plain(value) === text };
  }
  return inBody(form.body, text);
}

export type Write =
  | { type: "text"; field: TextField; value: string }
  | { type: "edit"; list: ListName; key: string; part: Record<string, string> };

/** The field and value for an edited text on the page; null if it can't be applied. */
export function writeAt(
  form: Form,
  { path, written, writable }: TextLocation,
  next: string,
): Write | null {
  if (!writable) return null;
  if (path === "body") {
    if (form.body.split(written).length !== 2) return null;
    return { type: "text", field: "body", value: form.body.replace(written, () => next) };
  }
  const { field, key, part } = pathParts(path);
  if (key === undefined) return { type: "text", field: field as TextField, value: next };
  return { type: "edit", list: field as ListName, key, part: { [part]: next } };
}
