import { expect, test } from "vitest";
import { findCoverageProblems, readCodePaths, readStatements } from "./coverage.ts";

const document = (...rows: string[]) =>
  ["| Statement | Done | Where | Proof |", "|---|---|---|---|", "| **Part** | | | |", ...rows].join(
    "\n",
  );
const index = { files: new Map([7, 8, 9].map((number) => [number, ["a"]])), titles: new Map() };
const files = ["features/a", "features/a/one.ts", "features/a/one.test.ts", "test/e2e/b.test.ts"];
const patterns: Record<string, string[]> = {
  "features/*": ["features/a"],
  "features/a/*.test.ts": ["features/a/one.test.ts"],
};
const find = (path: string) => patterns[path] ?? files.filter((file) => file === path);
const problemsOf = (row: string) =>
  findCoverageProblems(readStatements(document(row)), { index, find });

test("a row that names what is there has no problem", () => {
  const row = "| Asked | yes: really | features/*, one more | features/a/one.test.ts, abuse 7–9 |";
  expect(readStatements(document(row))).toEqual([
    {
      text: "Asked",
      done: "yes: really",
      code: ["features/*"],
      tests: ["features/a/one.test.ts"],
      cases: [7, 8, 9],
    },
  ]);
  expect(problemsOf(row)).toEqual([]);
  expect(problemsOf("| Asked | yes | features/a | {test/e2e/b,features/a/one}.test.ts |")).toEqual(
    [],
  );
  expect(problemsOf("| Asked | no | | |")).toEqual([]);
});

test.each([
  ["| Asked | yes | features/b | abuse 7 |", "“Asked” names features/b, which isn't there."],
  [
    "| Asked | yes | features/a | features/a/two.test.ts, abuse 7 |",
    "“Asked” names features/a/two.test.ts, which isn't there.",
  ],
  [
    "| Asked | yes | features/a | test/e2e/{b,c}.test.ts |",
    "“Asked” names test/e2e/c.test.ts, which isn't there.",
  ],
  ["| Asked | yes | features/a | abuse 7–10 |", "“Asked” names case 10, which no test carries."],
  ["| Asked | yes | features/a | the tests beside it |", "“Asked” names no test."],
  [
    "| Asked | yes | features/a | features/a/one.ts, abuse 7 |",
    "“Asked” names features/a/one.ts as proof, which is no single test file.",
  ],
  [
    "| Asked | yes | features/a | features/a/*.test.ts |",
    "“Asked” names features/a/*.test.ts as proof, which is no single test file.",
  ],
  [
    "| Asked | yes | features/a | features/a, abuse 7 |",
    "“Asked” names features/a as proof, which is no single test file.",
  ],
  ["| Asked | yes | here | abuse 8 |", "“Asked” names no code."],
])("a row that names too little or too much: %s", (row, problem) => {
  expect(problemsOf(row)).toEqual([problem]);
});

test("paths in backticks are those of source files", () => {
  const text = "`a/b.ts`, `./c/d.astro` and `npm run x`, `e.ts`, `a/b` and `https://x.example/y`";
  expect(readCodePaths(text)).toEqual(["a/b.ts", "c/d.astro"]);
});
