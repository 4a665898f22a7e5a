import { z } from "zod";
import { cleanText } from "./text.ts";

/** The largest id that both databases take. */
export const maxId = 2_147_483_647;

/** The id of a row, in a body. */
export const rowId = z.number("must be a number").int().min(1).max(maxId);

/** The id of a row, in an address. */
export const rowIdText = z
  .string()
  .regex(/^\d{1,10}$/, "must be a number")
  .transform(Number)
  .pipe(rowId);

/** A text as it is kept: trimmed, without control characters; of `least` to `max` characters. */
export function words(max: number, { least = 0, multiline = true } = {}) {
  return z
    .string("is not a text")
    .overwrite((value) => cleanText(value, { multiline }))
    .min(least, "is empty")
    .max(max, `is longer than ${max} characters`);
}
