import { expect, test } from "vitest";

import { bodyOf, kindOf } from "./diff-lines.ts";

test("headers before the first hunk are removed, the lines of the hunks stay", () => {
  const patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n";
  expect(bodyOf(patch)).toEqual({ lines: ["@@ -1 +1 @@", "-a", "+b", " c"], cut: false });
  expect(bodyOf(patch).lines.map(kindOf)).toEqual(["hunk", "removed", "added", "same"]);
});

test("a patch that the server truncated says so, and a line with the same text is a line", () => {
  expect(bodyOf("@@ -1 +1 @@\n+b\n… cut …\n")).toEqual({
    lines: ["@@ -1 +1 @@", "+b"],
    cut: true,
  });
  expect(bodyOf("@@ -1 +1 @@\n … cut").cut).toBe(false);
});

test("a rename or a binary file has no lines", () => {
  expect(bodyOf("").lines).toEqual([]);
  expect(bodyOf("similarity index 100%\nrename from a\nrename to b\n").lines).toEqual([]);
});
