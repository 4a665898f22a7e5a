import { expect, test } from "vitest";

import { keepUnchangedErrors } from "./useForm.ts";

test("a change leaves the mistakes of the fields that it does not touch", () => {
  const mistakes = { name: "can't be empty", timeZone: "can't be empty" };
  const before = { name: "", timeZone: "" };
  expect(keepUnchangedErrors(mistakes, before, { ...before, name: "Ada" })).toEqual({
    timeZone: "can't be empty",
  });
});

test("what is said of something that the form calls otherwise is dropped with any change", () => {
  const before = { host: "a b", port: "25" };
  expect(
    keepUnchangedErrors({ "smtp.host": "is no host" }, before, { ...before, host: "a" }),
  ).toEqual({});
});
