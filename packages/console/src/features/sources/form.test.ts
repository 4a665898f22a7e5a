import { expect, test } from "vitest";

import { formOf, missing } from "./form.ts";

const given = { ...formOf(null), title: "Style guide", url: "https://example.com/style" };

test("a source needs a name, and an address or text", () => {
  expect(missing(given)).toEqual({});
  expect(missing({ ...given, url: "", notes: "No exclamation marks." })).toEqual({});
  expect(Object.keys(missing(formOf(null)))).toEqual(["title", "notes"]);
  expect(Object.keys(missing({ ...given, url: "example.com" }))).toEqual(["url"]);
  expect(Object.keys(missing({ ...given, url: "javascript:alert(1)" }))).toEqual(["url"]);
});
