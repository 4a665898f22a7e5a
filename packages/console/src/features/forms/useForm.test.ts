import { expect, test } from "vitest";

import { keepUnchangedErrors } from "./useForm.ts";

test("a change keeps the errors of other fields", () => {
  const mistakes = { name: "can't be empty", timeZone: "can't be empty" };
  const before = { name: "", timeZone: "" };
  expect(keepUnchangedErrors(mistakes, before, { ...before, name: "Ada" })).toEqual({
    timeZone: "can't be empty",
  });
});

test("an error under another name than the form's fields disappears with any change", () => {
  const before = { host: "a b", port: "25" };
  expect(
    keepUnchangedErrors({ "smtp.host": "is no host" }, before, { ...before, host: "a" }),
  ).toEqual({});
});
