import { expect, test } from "vitest";
import { casesIn, fillIn, indexTests, problemsOf, titlesIn } from "./cases.ts";

// Put together, so that this file carries no number itself.
const word = ["ab", "use"].join("");
const titled = (numbers: string, title: string) =>
  `test("${word} ${numbers}: ${title}", () => {});`;

const document = (rows: string[]) =>
  [
    "# Cases",
    "",
    "| Number | Attack | Defence | Code | Tests |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "End",
  ].join("\n");
const row = "| 7 | An attack | A defense | `a/code.ts` | `a/one.test.ts` |";
const index = indexTests(new Map([["packages/server/src/a/one.test.ts", titled("7", "it holds")]]));
const exists = (path: string) => path === "a/code.ts";

test("finds every number of a title, however it is quoted", () => {
  const source = [
    titled("7, 12", "a"),
    `it(\n  '${word} 3 and 4: b`,
    `// ${word} 9: no title`,
  ].join("\n");
  expect(titlesIn(source).map(({ numbers }) => numbers)).toEqual([
    [7, 12],
    [3, 4],
  ]);
});

test("a table that fits tests and code has no problem", () => {
  expect(problemsOf(casesIn(document([row])), index, exists)).toEqual([]);
});

test.each([
  ["a number without a row", [], /^Case 7 has no row: it holds/],
  ["a row without a test", [row, row.replace("7", "8")], /^Case 8: has no test/],
  ["a row that names another test", [row.replace("one.", "two.")], /^Case 7: names other tests/],
  ["two rows of one number", [row, row], /^Case 7: has two rows/],
  ["code that isn't there", [row.replace("code", "gone")], /^Case 7: names a\/gone\.ts/],
  ["an empty cell", [row.replace("A defense", "")], /^Case 7: has an empty cell/],
])("says %s", (_what, rows, problem) => {
  const [first] = problemsOf(casesIn(document(rows)), index, exists);
  expect(first).toMatch(problem);
});

test("a gap may be said", () => {
  const gap = "| 8 | Another | None yet | `a/code.ts` | none: needs hardware |";
  expect(problemsOf(casesIn(document([row, gap])), index, exists)).toEqual([]);
});

test("fills in tests and adds rows in order, and leaves the rest of the document alone", () => {
  const tests = new Map([
    ["packages/server/src/a/one.test.ts", titled("7", "it holds")],
    ["test/e2e/two.test.ts", titled("3, 7", "both hold")],
  ]);
  const written = fillIn(document([row]), indexTests(tests));
  expect(written.split("\n").slice(4)).toEqual([
    "| 3 | both hold |  |  | `test/e2e/two.test.ts` |",
    "| 7 | An attack | A defense | `a/code.ts` | `a/one.test.ts`, `test/e2e/two.test.ts` |",
    "",
    "End",
  ]);
});
