import { type ProjectFields, projectFields } from "../../projects/project.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";

type Field = Exclude<keyof ProjectFields, "position" | "slug" | "gallery" | "body">;

/** The longest text of a field, in characters. */
const maxLengths: Partial<Record<Field, number>> = {
  name: 120,
  summary: 280,
  lede: 600,
  kind: 60,
  period: 60,
  role: 120,
};

/** As much of a text as a field takes, up to a word's end. */
function shortened(text: string, length: number): string {
  const cut = text.slice(0, length - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** What a field takes of a value that is beyond its bounds; undefined for nothing. */
function withinBounds(field: Field, value: unknown): unknown {
  const length = maxLengths[field];
  if (typeof value === "string" && length !== undefined) {
    return shortened(value.replace(field === "lede" ? /\s+$/ : /\s+/g, " ").trim(), length);
  }
  if (!Array.isArray(value)) return undefined;
  const items = value.filter((item) => projectFields[field].safeParse([item]).success);
  while (items.length > 0 && !projectFields[field].safeParse(items).success) items.pop();
  return items;
}

/** Takes a field over if it is within the bounds of the record, else what of it is. */
export function take(
  frontMatter: FrontMatterReader,
  fields: Record<string, unknown>,
  field: Field,
  value: unknown,
): void {
  if (value === undefined) return;
  const result = projectFields[field].safeParse(value);
  if (result.success) {
    fields[field] = result.data;
    return;
  }
  const rest = projectFields[field].safeParse(withinBounds(field, value));
  if (rest.success) fields[field] = rest.data;
  for (const { path, message } of result.error.issues) {
    const long =
      typeof value === "string" && /at most/.test(message) ? `, not ${value.length}` : "";
    frontMatter.report(field as Parameters<FrontMatterReader["report"]>[0], message + long, {
      inside: path as (string | number)[],
    });
  }
}
