import { expect, test } from "vitest";

import { changeSearch, readChoice, pageIn } from "./search-params.ts";

test("keys are set, kept, and left out", () => {
  expect(changeSearch("?q=kiln&page=3", { page: null, status: "draft" })).toBe(
    "?q=kiln&status=draft",
  );
  expect(changeSearch("?q=kiln", { q: "" })).toBe("");
  expect(changeSearch("", { q: "å & b", page: 2 })).toBe("?q=%C3%A5+%26+b&page=2");
});

test.each([
  ["page=3", 3],
  ["", 1],
  ["page=0", 1],
  ["page=-2", 1],
  ["page=1.5", 1],
  ["page=many", 1],
  ["page=99999999999", 1],
])("the page in %j is %i", (search, page) => {
  expect(pageIn(new URLSearchParams(search))).toBe(page);
});

test("only known values are accepted from an address", () => {
  const known = ["draft", "published"] as const;
  expect(readChoice(new URLSearchParams("status=draft"), "status", known)).toBe("draft");
  expect(readChoice(new URLSearchParams("status=gone"), "status", known)).toBeNull();
  expect(readChoice(new URLSearchParams(""), "status", known)).toBeNull();
});
