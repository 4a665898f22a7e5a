import { audiences } from "../audience-labels.ts";
import type { FieldName, Values } from "./form.ts";

/** Context shown around a difference, in characters. */
const around = 60;

/** The file name in a stored address, without its hash prefix. */
export function fileName(src: string): string {
  return (src.split("/").at(-1) ?? src).replace(/^[0-9a-f]{12}-/, "");
}

/** A field's value as comparable text. */
export function fieldText(values: Values, field: FieldName): string {
  switch (field) {
    case "categories":
    case "stack":
      return values[field].join(", ");
    case "skills":
      return values.skills.map(({ group, items }) => `${group}: ${items.join(", ")}`).join("\n");
    case "metrics":
      return values.metrics
        .map(({ value, label, note }) => `${value} ${label}${note ? ` (${note})` : ""}`)
        .join("\n");
    case "gallery":
      return values.gallery
        .map(({ src, caption, alt, isDecorative }, index) => {
          const words = [caption, alt && `alt: ${alt}`, isDecorative && "decorative"]
            .filter(Boolean)
            .join(", ");
          return `${index + 1}. ${fileName(src)}${words ? `: ${words}` : ""}`;
        })
        .join("\n");
    case "reelUrl":
      return values.reelUrl ?? "";
    case "audience":
      return audiences.find(({ value }) => value === values.audience)?.label ?? values.audience;
    default:
      return values[field];
  }
}

/** A text with the part in which it differs. */
export interface ValueDiff {
  before: string;
  differs: string;
  after: string;
}

function commonStart(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one[length] === other[length]) length += 1;
  return length;
}

function commonEnd(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

function cut(text: string, start: number, end: number): ValueDiff {
  const from = Math.max(0, start - around);
  const tail = text.slice(text.length - end);
  return {
    before: `${from > 0 ? "…" : ""}${text.slice(from, start)}`,
    differs: text.slice(start, text.length - end),
    after: tail.length > around ? `${tail.slice(0, around)}…` : tail,
  };
}

/** Where two texts differ, each with a little context. */
export function diffExcerpts(one: string, other: string): [ValueDiff, ValueDiff] {
  const start = commonStart(one, other);
  const end = commonEnd(one.slice(start), other.slice(start));
  return [cut(one, start, end), cut(other, start, end)];
}
