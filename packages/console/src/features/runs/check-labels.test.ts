import { expect, test } from "vitest";

import type { BuildReport, CheckFinding } from "../../api/types.ts";
import { checkedTitle, differenceOf, fixInstruction, mergeFindings } from "./check-labels.ts";

const pale: CheckFinding = {
  check: "a11y.contrast",
  category: "accessibility",
  severity: "error",
  page: "/about/",
  target: "p.note",
  message: "The text has a contrast of 3.1 to 1.",
};
const clean: BuildReport = {
  pages: 2,
  findings: [],
  added: { error: 0, warning: 0, notice: 0 },
  fixed: 0,
  brokenLinks: 0,
  bytes: { before: 132_000, after: 120_000 },
  blank: [],
};

test("the comparison names what is worse, the size, and the broken links", () => {
  const worse = {
    ...clean,
    findings: [pale],
    added: { error: 1, warning: 0, notice: 0 },
    bytes: { before: 120_000, after: 460_000 },
  };
  expect(differenceOf(worse)).toBe("1 new contrast error, +340 kB, 0 broken links");
  const heavy: CheckFinding = { ...pale, check: "img.heavy", category: "images" };
  const mixed = { ...worse, findings: [pale, heavy], added: { error: 2, warning: 0, notice: 3 } };
  expect(differenceOf(mixed)).toBe("2 new errors, +340 kB, 0 broken links");
  expect(checkedTitle(mixed)).toBe("Checked 2 pages: 2 new errors");
});

test("says that nothing is worse, with what was fixed and saved", () => {
  expect(differenceOf(clean)).toBe("No new problems, −12 kB");
  expect(differenceOf({ ...clean, fixed: 2, bytes: { before: 1, after: 9 } })).toBe(
    "No new problems, 2 fixed",
  );
  expect(checkedTitle(clean)).toBe("Checked 2 pages: no new problems");
  expect(checkedTitle({ ...clean, pages: 0 })).toBe("Checked: no page changed");
});

test("links that were broken before are shown, too", () => {
  expect(differenceOf({ ...clean, brokenLinks: 1 })).toBe("−12 kB, 1 broken link");
});

test("an empty page is reported", () => {
  expect(checkedTitle({ ...clean, blank: ["/about/"] })).toBe(
    "Checked 2 pages: nothing visible on /about/",
  );
});

test("the same defect on several pages is one finding, and one instruction", () => {
  const other = { ...pale, page: "/contact/" };
  const elsewhere = { ...pale, target: "p.other" };
  const merged = mergeFindings([pale, other, pale, elsewhere]);
  expect(merged.map(({ pages }) => pages)).toEqual([["/about/", "/contact/"], ["/about/"]]);
  expect(merged.map(fixInstruction)[0]).toBe(
    "Fix this on /about/, /contact/: The text has a contrast of 3.1 to 1. (p.note)",
  );
});
