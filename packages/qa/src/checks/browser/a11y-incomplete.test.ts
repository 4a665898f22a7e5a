import { expect, test } from "vitest";
import type { A11yIssue, Visit } from "../../browser/visit.ts";
import { toFinding } from "../../check.ts";
import { uncertainIssue, visitWith } from "./a11y-incomplete.fixture.ts";
import { a11yIncomplete } from "./a11y-incomplete.ts";

const fingerprintsOf = (page: string, ...issues: A11yIssue[]): string[] =>
  [...a11yIncomplete.run(visitWith(...issues) as Visit)].map(
    (seen) => toFinding(a11yIncomplete, page, seen).fingerprint,
  );

test("the same question about several places is one finding, another question another", () => {
  const elsewhere = { ...uncertainIssue, locator: "body main p video", text: "B" };
  const other = { ...uncertainIssue, message: "Videos need a description." };
  const [first, second, third] = fingerprintsOf("/a/", uncertainIssue, elsewhere, other);
  expect([second, third === first]).toEqual([first, false]);
  expect(fingerprintsOf("/b/", elsewhere)).toEqual([first]);
});
