import { expect, test } from "vitest";

import { formOf, missing, moved } from "./form.ts";

const given = { ...formOf(null), title: "Style guide", url: "https://example.com/style" };

test("a source needs a name, and an address or words", () => {
  expect(missing(given)).toEqual({});
  expect(missing({ ...given, url: "", notes: "No exclamation marks." })).toEqual({});
  expect(Object.keys(missing(formOf(null)))).toEqual(["title", "notes"]);
  expect(Object.keys(missing({ ...given, url: "example.com" }))).toEqual(["url"]);
  expect(Object.keys(missing({ ...given, url: "javascript:alert(1)" }))).toEqual(["url"]);
});

test("a source moves by one place", () => {
  expect(moved([7, 8, 9], 0, 1)).toEqual([8, 7, 9]);
  expect(moved([7, 8, 9], 2, 1)).toEqual([7, 9, 8]);
});
