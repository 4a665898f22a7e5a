import type { Problem } from "../problem.ts";
import { fieldNames, type FrontMatterField, nests, plainName } from "./field-names.ts";
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

/** Every name with its value, those in the nests of generators as if they stood at the top. */
function flatten(values: FrontMatter["values"]): FrontMatterEntry[] {
  const input: FrontMatterEntry[] = [];
  for (const [name, value] of values) {
    if (nests.includes(plainName(name)) && isMap(value)) {
      for (const [inner, of] of Object.entries(value)) {
        input.push({ path: [name, inner], value: of });
      }
    } else input.push({ path: [name], value });
  }
  return input;
}

/** Gives each meaning the first of its names that is said; what is left over means nothing here. */
function sort(input: FrontMatterEntry[]): {
  byField: Map<FrontMatterField, FrontMatterEntry>;
  rest: FrontMatterEntry[];
} {
  const byName = new Map<string, FrontMatterEntry>();
  for (const each of input) {
    const name = plainName(each.path.at(-1) ?? "");
    if (!byName.has(name)) byName.set(name, each);
  }
  const meant = new Map<FrontMatterField, FrontMatterEntry>();
  for (const [meaning, names] of Object.entries(fieldNames) as [
    FrontMatterField,
    readonly string[],
  ][]) {
    const name = names.map(plainName).find((each) => byName.has(each));
    const found = name === undefined ? undefined : byName.get(name);
    if (found !== undefined) meant.set(meaning, found);
  }
  const used = new Set(meant.values());
  return { byField: meant, rest: input.filter((each) => !used.has(each)) };
}

/** Reads the front matter of a file by what its names mean; unknown ones are noted at once. */
export function makeFrontMatterReader(
  file: string,
  { values, lineOf }: FrontMatter,
): FrontMatterReader {
  const { byField: meant, rest } = sort(flatten(values));
  const unused = rest.map(({ path }): Problem => {
    const [line, field] = [lineOf(path), path.join(".")];
    return { level: "note", file, line, field, message: "is not used here" };
  });
  const problems = [...unused];
  const reader: FrontMatterReader = {
    problems,
    rest,
    raw: (meaning) => meant.get(meaning)?.value,
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
