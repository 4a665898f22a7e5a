import { expect, test } from "vitest";
import { AppError } from "../../kit/errors.ts";
import { defaultLimits } from "../../platform/config.ts";
import { chromium } from "../../platform/system-tools.ts";
import { chromiumBinaries } from "vitrine-qa/src/browser/find-chromium.ts";
import { QaError } from "vitrine-qa/src/errors.ts";
import { defaultQaLimits } from "vitrine-qa/src/limits.ts";
import { withAppErrors } from "./qa-errors.ts";

test("the QA package has an instance's default limits and finds the same Chromium", () => {
  expect(defaultLimits.qa).toEqual(defaultQaLimits);
  expect(chromium.binaries).toEqual(chromiumBinaries);
});

test("the QA package's errors become AppErrors; others stay as they are", async () => {
  const options = { fields: { output: "its folder doesn't exist" }, details: { a: 1 } };
  const expected = new QaError("validation_failed", "No.", options);
  const error = await withAppErrors(() => Promise.reject(expected)).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: "validation_failed", message: "No.", ...options });
  const other = new TypeError("x");
  await expect(withAppErrors(() => Promise.reject(other))).rejects.toBe(other);
});
