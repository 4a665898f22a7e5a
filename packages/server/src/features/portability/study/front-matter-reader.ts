import type { Problem } from "../problem.ts";
import { fieldNames, type FrontMatterField, groups, nests, plainName } from "./field-names.ts";
import type { FrontMatter } from "./front-matter.ts";
import { isInvalid, type ParsedValue } from "./values.ts";

export interface FrontMatterEntry {
  /** From the top of the front matter. */
  path: string[];
  value: unknown;
}

/** What the front matter of one file says, by meaning, and what is wrong with it. */
export interface FrontMatterReader {
  has(meaning: FrontMatterField): boolean;
  /** The value in the form that `read` gives it; undefined where it is not said, or said wrongly. */
  read<T>(meaning: FrontMatterField, read: (value: unknown) => ParsedValue<T>): T | undefined;
  /** Notes something about a meaning, or about what is inside its value. */
  report(meaning: FrontMatterField, message: string, options?: ReportOptions): void;
  /** Notes something about the text or the file. */
  reportAt(line: number | null, message: string, level?: Problem["level"]): void;
  /** The value of a meaning as it is written. */
  raw(meaning: FrontMatterField): unknown;
  /** The name by which a meaning is said; null where it is not. */
  nameOf(meaning: FrontMatterField): string | null;
  /** What means nothing by its name. */
  rest: readonly FrontMatterEntry[];
  /** Says that such an entry is used after all. */
  use(entry: FrontMatterEntry): void;
  problems: Problem[];
}

interface ReportOptions {
  inside?: readonly (string | number)[];
  level?: Problem["level"];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const knownNames: ReadonlySet<string> = new Set(Object.values(fieldNames).flat().map(plainName));

/** Whether a value contains nothing, such as the empty fields of an archetype. */
function isBlank(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null || value === undefined;
  return Object.values(value).every((each) => each === null || each === undefined);
}

/** The names with values in a list such as [{label: "Client", info: "Acme"}]; null where it is none. */
function labelled(value: unknown): [string, unknown][] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const pairs = value.map((item): [string, unknown] | null => {
    if (!isMap(item)) return null;
    const label = item["label"] ?? item["title"] ?? item["name"] ?? item["key"];
    const text = item["info"] ?? item["value"] ?? item["text"] ?? item["content"];
    return typeof label === "string" && text !== undefined ? [label, text] : null;
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
}

/** What a group of names holds; null for a value that is none. */
function innerNames(name: string, value: unknown): [string, unknown][] | null {
  if (!groups.has(plainName(name))) return null;
  const inner = isMap(value) ? Object.entries(value) : labelled(value);
  return inner?.some(([each]) => knownNames.has(plainName(each))) ? inner : null;
}

/**
 * Every name with its value, those in the nests of generators as if they stood at the top. Those in
 * other groups come last: they count where the top doesn't say the same.
 */
function flatten(values: FrontMatter["values"]): FrontMatterEntry[] {
  const input: FrontMatterEntry[] = [];
  const grouped: FrontMatterEntry[] = [];
  for (const [name, value] of values) {
    const inner = innerNames(name, value);
    if (nests.includes(plainName(name)) && isMap(value)) {
      for (const [each, of] of Object.entries(value)) {
        input.push({ path: [name, each], value: of });
      }
    } else if (inner !== null) {
      grouped.push(...inner.map(([each, of]) => ({ path: [name, each], value: of })));
    } else input.push({ path: [name], value });
  }
  return [...input, ...grouped];
}

/** Meanings whose default differs from an empty value: archetypes leave `draft:` and others empty. */
const defaulted: ReadonlySet<FrontMatterField> = new Set([
  "date",
  "start",
  "end",
  "kind",
  "order",
  "status",
  "draft",
  "published",
  "archived",
  "audience",
  "created",
  "updated",
]);
/** What `kind` and `type` contain if they name a layout or a collection. */
const layoutNames =
  /^(?:case[-_ ]?stud(?:y|ies)|projects?|works?|portfolio(?:[-_ ]?items?)?|posts?|pages?|blog|articles?|notes?|default|single|website|data|item|entry)$/i;

/** Whether a value can be what its name says: themes have switches and texts under the same names. */
function isFitting(meaning: FrontMatterField, value: unknown, isExport: boolean): boolean {
  if (isExport) return true;
  if (value === null && defaulted.has(meaning)) return false;
  if (meaning === "kind") return typeof value !== "string" || !layoutNames.test(value.trim());
  if (meaning === "cover" || meaning === "gallery") return typeof value !== "boolean";
  if (meaning !== "metrics") return true;
  return Array.isArray(value) ? value.some(isMap) || value.length === 0 : isMap(value);
}

/** Gives each meaning the first of its names that is said; what is left over means nothing here. */
function sort(
  input: FrontMatterEntry[],
  isExport: boolean,
): {
  byField: Map<FrontMatterField, FrontMatterEntry>;
  rest: FrontMatterEntry[];
} {
  const byName = new Map<string, FrontMatterEntry>();
  const nameOf = ({ path }: FrontMatterEntry) => plainName(path.at(-1) ?? "");
  for (const each of input) if (!byName.has(nameOf(each))) byName.set(nameOf(each), each);
  // Some themes begin every name with "project", such as projectSummary.
  for (const each of input) {
    const name = nameOf(each).replace(/^project(?=[a-z]{3})/, "");
    if (!byName.has(name) && !knownNames.has(nameOf(each))) byName.set(name, each);
  }
  const meant = new Map<FrontMatterField, FrontMatterEntry>();
  for (const [meaning, names] of Object.entries(fieldNames) as [
    FrontMatterField,
    readonly string[],
  ][]) {
    const entries = names.map((name) => byName.get(plainName(name)));
    const fitting = entries.filter(
      (each) => each !== undefined && isFitting(meaning, each.value, isExport),
    );
    const found = fitting.find((each) => !isBlank(each?.value)) ?? fitting[0];
    if (found !== undefined) meant.set(meaning, found);
  }
  const used = new Set(meant.values());
  return { byField: meant, rest: input.filter((each) => !used.has(each) && !isBlank(each.value)) };
}

/** Reads the front matter of a file by what its names mean; unknown ones are noted at once. */
export function makeFrontMatterReader(
  file: string,
  { values, lineOf }: FrontMatter,
): FrontMatterReader {
  const { byField: meant, rest } = sort(flatten(values), values.has("vitrine"));
  const unused = rest.map(({ path }): Problem => {
    const [line, field] = [lineOf(path), path.join(".")];
    return { level: "note", file, line, field, message: "isn't used here" };
  });
  const problems = [...unused];
  const reader: FrontMatterReader = {
    problems,
    rest,
    raw: (meaning) => meant.get(meaning)?.value,
    nameOf: (meaning) => meant.get(meaning)?.path.at(-1) ?? null,
    use(entry) {
      const index = problems.indexOf(unused[rest.indexOf(entry)] as Problem);
      if (index >= 0) problems.splice(index, 1);
    },
    has: (meaning) => meant.has(meaning),
    read(meaning, read) {
      const input = meant.get(meaning);
      if (input === undefined) return undefined;
      const reading = read(input.value);
      if (!isInvalid(reading)) return reading.value;
      reader.report(meaning, reading.expected, reading.at ? { inside: reading.at } : {});
      return undefined;
    },
    report(meaning, message, { inside = [], level = "error" } = {}) {
      const path = meant.get(meaning)?.path ?? [meaning];
      const field = [path.join("."), ...inside].join(".");
      problems.push({ level, file, line: lineOf([...path, ...inside]), field, message });
    },
    reportAt(line, message, level = "error") {
      problems.push({ level, file, line, field: null, message });
    },
  };
  return reader;
}
