import type { AgentProject, RecordField } from "../records.ts";
import { recordFields } from "../records.ts";
import { fold, isWhole } from "./find.ts";

/** One place where a text stands in a project record. */
export interface RecordPlace {
  slug: string;
  field: RecordField;
  /** The way to the string inside the field's value. */
  keys: readonly (string | number)[];
  start: number;
  end: number;
  /** Where it is, for people. */
  file: string;
  line: number;
  excerpt: string;
}

/** The project records in memory, with the edits made so far. */
export interface RecordSource {
  readonly slugs: readonly string[];
  /** Where a text stands in these projects, in whole words. */
  find(slugs: readonly string[], wanted: string): RecordPlace[];
  replace(places: readonly RecordPlace[], text: string): void;
  /** The fields with other values than at first. */
  changed(): { slug: string; field: RecordField; value: unknown }[];
}

/** Values that are addresses, not texts for people. */
const addresses = new Set<string | number>(["src", "reelUrl"]);

function stringsIn(
  value: unknown,
  keys: readonly (string | number)[],
): { keys: readonly (string | number)[]; text: string }[] {
  if (addresses.has(keys.at(-1) ?? "")) return [];
  if (typeof value === "string") return [{ keys, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    stringsIn(inner, [...keys, Array.isArray(value) ? Number(key) : key]),
  );
}

function placesIn(slug: string, field: RecordField, value: unknown, search: string): RecordPlace[] {
  return stringsIn(value, [field]).flatMap(({ keys, text }) => {
    const places: RecordPlace[] = [];
    const folded = fold(text);
    for (let at = folded.indexOf(search); at >= 0; at = folded.indexOf(search, at + 1)) {
      if (!isWhole(text, at, search.length)) continue;
      const end = at + search.length;
      const line = text.slice(0, at).split("\n").length;
      const excerpt = text.slice(Math.max(0, at - 30), end + 30).trim();
      const file = `projects/${slug}/${field}`;
      places.push({ slug, field, keys: keys.slice(1), start: at, end, file, line, excerpt });
      at = end - 1;
    }
    return places;
  });
}

/** The value with one of its strings as `edit` makes it. */
function withString(
  value: unknown,
  keys: readonly (string | number)[],
  edit: (text: string) => string,
): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return edit(String(value));
  if (Array.isArray(value)) {
    return value.map((inner, at) => (at === key ? withString(inner, rest, edit) : inner));
  }
  const inner = (value as Record<string, unknown>)[key];
  return { ...(value as object), [key]: withString(inner, rest, edit) };
}

/** The records that an agent may change, read once. */
export function readRecords(projects: readonly AgentProject[]): RecordSource {
  const before = new Map(projects.map((project) => [project.slug, project]));
  const after = new Map(before);
  return {
    slugs: [...before.keys()],
    find(slugs, wanted) {
      const search = fold(wanted.replace(/\s+/g, " "));
      return slugs.flatMap((slug) => {
        const project = after.get(slug);
        if (project === undefined) return [];
        return recordFields.flatMap((field) => placesIn(slug, field, project[field], search));
      });
    },
    replace(places, text) {
      // From the last, so that the places before it stay where they are.
      for (const { slug, field, keys, start, end } of places.toSorted(
        (a, b) => b.start - a.start,
      )) {
        const project = after.get(slug);
        if (project === undefined) continue;
        const edit = (old: string) => old.slice(0, start) + text + old.slice(end);
        after.set(slug, { ...project, [field]: withString(project[field], keys, edit) });
      }
    },
    changed: () =>
      [...after].flatMap(([slug, project]) =>
        recordFields
          .filter((field) => {
            const old = before.get(slug)?.[field];
            return JSON.stringify(old) !== JSON.stringify(project[field]);
          })
          .map((field) => ({ slug, field, value: project[field] })),
      ),
  };
}
