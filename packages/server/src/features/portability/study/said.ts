import type { Problem } from "../problem.ts";
import { fieldNames, type Meaning, nests, plainName } from "./field-names.ts";
import type { FrontMatter } from "./front-matter.ts";
import { isWrong, type Reading } from "./values.ts";

interface Given {
  /** From the top of the front matter. */
  path: string[];
  value: unknown;
}

/** What the front matter of one file says, by meaning, and what is wrong with it. */
export interface Said {
  has(meaning: Meaning): boolean;
  /** The value in the form that `read` gives it; undefined where it is not said, or said wrongly. */
  read<T>(meaning: Meaning, read: (value: unknown) => Reading<T>): T | undefined;
  /** Notes something about a meaning, or about what is inside its value. */
  tell(meaning: Meaning, message: string, options?: TellOptions): void;
  /** Notes something about the text or the file. */
  tellAt(line: number | null, message: string, level?: Problem["level"]): void;
  problems: Problem[];
}

interface TellOptions {
  inside?: readonly (string | number)[];
  level?: Problem["level"];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every name with its value, those in the nests of generators as if they stood at the top. */
function flatten(values: FrontMatter["values"]): Given[] {
  const given: Given[] = [];
  for (const [name, value] of values) {
    if (nests.includes(plainName(name)) && isMap(value)) {
      for (const [inner, of] of Object.entries(value)) {
        given.push({ path: [name, inner], value: of });
      }
    } else given.push({ path: [name], value });
  }
  return given;
}

/** Gives each meaning the first of its names that is said; what is left over means nothing here. */
function sort(given: Given[]): { meant: Map<Meaning, Given>; rest: Given[] } {
  const byName = new Map<string, Given>();
  for (const each of given) {
    const name = plainName(each.path.at(-1) ?? "");
    if (!byName.has(name)) byName.set(name, each);
  }
  const meant = new Map<Meaning, Given>();
  for (const [meaning, names] of Object.entries(fieldNames) as [Meaning, readonly string[]][]) {
    const name = names.map(plainName).find((each) => byName.has(each));
    const found = name === undefined ? undefined : byName.get(name);
    if (found !== undefined) meant.set(meaning, found);
  }
  const used = new Set(meant.values());
  return { meant, rest: given.filter((each) => !used.has(each)) };
}

/** Reads the front matter of a file by what its names mean; unknown ones are noted at once. */
export function readSaid(file: string, { values, lineOf }: FrontMatter): Said {
  const { meant, rest } = sort(flatten(values));
  const problems: Problem[] = rest.map(({ path }) => ({
    level: "note",
    file,
    line: lineOf(path),
    field: path.join("."),
    message: "is not used here",
  }));
  const said: Said = {
    problems,
    has: (meaning) => meant.has(meaning),
    read(meaning, read) {
      const given = meant.get(meaning);
      if (given === undefined) return undefined;
      const reading = read(given.value);
      if (!isWrong(reading)) return reading.value;
      said.tell(meaning, reading.wrong, reading.at ? { inside: reading.at } : {});
      return undefined;
    },
    tell(meaning, message, { inside = [], level = "error" } = {}) {
      const path = meant.get(meaning)?.path ?? [meaning];
      const field = [path.join("."), ...inside].join(".");
      problems.push({ level, file, line: lineOf([...path, ...inside]), field, message });
    },
    tellAt(line, message, level = "error") {
      problems.push({ level, file, line, field: null, message });
    },
  };
  return said;
}
