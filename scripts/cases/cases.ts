/** One numbered case as docs/security.md has it. */
export interface Case {
  number: number;
  attack: string;
  defense: string;
  /** Paths of the code that defends against it. */
  code: string[];
  /** Paths of the test files with the number, or a sentence that begins with "none". */
  tests: string;
}

/** A test title with a number. */
export interface NumberedTitle {
  numbers: number[];
  title: string;
}

const marker = "abuse ";
const titlePattern = new RegExp(`["'\`]${marker}(\\d+(?:(?:, | and )\\d+)*): ?([^"'\`\\n]*)`, "g");

/** The numbered titles in the source of a test file. */
export function titlesIn(source: string): NumberedTitle[] {
  return [...source.matchAll(titlePattern)].map(([, numbers = "", title = ""]) => {
    return { numbers: [...numbers.matchAll(/\d+/g)].map(Number), title: title.trim() };
  });
}

const rowPattern = /^\| *(\d+) *\|(.*)\|(.*)\|(.*)\|(.*)\| *$/;
const codePath = /`([^`]+)`/g;

/** The rows of the table of cases in a Markdown document, in order. */
export function casesIn(document: string): Case[] {
  return document.split("\n").flatMap((line) => {
    const [, number, attack = "", defense = "", code = "", tests = ""] =
      rowPattern.exec(line) ?? [];
    if (number === undefined) return [];
    return [
      {
        number: Number(number),
        attack: attack.trim(),
        defense: defense.trim(),
        code: [...code.matchAll(codePath)].map(([, path = ""]) => path),
        tests: tests.trim(),
      },
    ];
  });
}

const asCode = (paths: readonly string[]) => paths.map((path) => `\`${path}\``).join(", ");

function lineOf({ number, attack, defense, code, tests }: Case): string {
  return `| ${number} | ${attack} | ${defense} | ${asCode(code)} | ${tests} |`;
}

/**
 * A file's name in the table: relative to `packages/server/src/`, unless it begins with another
 * folder.
 */
export const shortPath = (path: string): string => path.replace(/^packages\/server\/src\//, "");

/** Test files by the numbers in their titles, with the first title of each number. */
export interface TestIndex {
  files: Map<number, string[]>;
  titles: Map<number, string>;
}

/** Collects the numbers in test files (path → source). */
export function indexTests(sources: ReadonlyMap<string, string>): TestIndex {
  const index: TestIndex = { files: new Map(), titles: new Map() };
  for (const path of [...sources.keys()].toSorted()) {
    for (const { numbers, title } of titlesIn(sources.get(path) ?? "")) {
      for (const number of numbers) {
        const files = index.files.get(number) ?? [];
        if (!files.includes(shortPath(path))) index.files.set(number, [...files, shortPath(path)]);
        if (!index.titles.has(number)) index.titles.set(number, title);
      }
    }
  }
  return index;
}

/** The errors of the table, a sentence each. `exists` tells whether a row's code exists. */
export function problemsOf(
  cases: readonly Case[],
  { files, titles }: TestIndex,
  exists: (path: string) => boolean,
): string[] {
  const known = new Set<number>();
  const problems: string[] = [];
  for (const { number, attack, defense, code, tests } of cases) {
    const say = (what: string) => problems.push(`Case ${number}: ${what}`);
    if (known.has(number)) say("has two rows.");
    known.add(number);
    if (attack === "" || defense === "" || code.length === 0) say("has an empty cell.");
    for (const path of code) if (!exists(path)) say(`names ${path}, which isn't there.`);
    const found = files.get(number) ?? [];
    const isGap = tests.startsWith("none");
    if (found.length === 0 && !isGap) say("has no test that carries its number.");
    if (found.length > 0 && tests !== asCode(found)) {
      say("names other tests than those that carry its number. Run `npm run cases -- --write`.");
    }
  }
  for (const number of [...files.keys()].toSorted((a, b) => a - b)) {
    if (known.has(number)) continue;
    problems.push(
      `Case ${number} has no row: ${titles.get(number)}. Run \`npm run cases -- --write\`.`,
    );
  }
  return problems;
}

/**
 * The document with the tests of each case filled in. A number without a row gets one, with its
 * first title as the attack; defense and code stay empty for the author to fill in.
 */
export function fillIn(document: string, { files, titles }: TestIndex): string {
  const cases = casesIn(document);
  const filled = cases.map((row) => {
    const found = files.get(row.number) ?? [];
    return found.length === 0 ? row : Object.assign({}, row, { tests: asCode(found) });
  });
  const known = new Set(cases.map(({ number }) => number));
  const added = [...files].filter(([number]) => !known.has(number));
  const rows = added.map(([number, paths]) => {
    const attack = titles.get(number) ?? "";
    return { number, attack, defense: "", code: [], tests: asCode(paths) };
  });
  const all = [...filled, ...rows].toSorted((a, b) => a.number - b.number);
  const lines = document.split("\n");
  const first = lines.findIndex((line) => rowPattern.test(line));
  if (first === -1) throw new Error("The document has no table of cases.");
  const others = lines.filter((line) => !rowPattern.test(line));
  return [...others.slice(0, first), ...all.map(lineOf), ...others.slice(first)].join("\n");
}
