import { z } from "zod";
import { cleanText, controlCharactersMessage, hasControls, illFormedMessage } from "./text.ts";

/** The largest ID that both databases support. */
export const maxId = 2_147_483_647;

/** The ID of a row, in a body. */
export const rowId = z.number("must be a number").int().min(1).max(maxId);

/** The ID of a row, in an address. */
export const rowIdText = z
  .string()
  .regex(/^\d{1,10}$/, "must be a number")
  .transform(Number)
  .pipe(rowId);

type StringError = string | ((issue: { input?: unknown }) => string);

export interface TextOptions {
  /** Minimum characters; defaults to 0. */
  min?: number;
  /** Whether line breaks and tabs are kept. */
  multiline?: boolean;
  /** The messages for a value that isn't text, for an empty text, and for one that is too long. */
  error?: StringError;
  /** A message that refuses control characters, for input that nobody can have typed. */
  controls?: string;
  empty?: string;
  tooLong?: string;
}

const anyControl = /[\p{Cc}\u2028\u2029]/u;

/**
 * The rule for all text from outside: trimmed, composed (NFC), without control characters, then
 * `min` to `max` characters; unpaired surrogates are refused. Schemas of requests, files, and
 * commands define their texts with `line`, `paragraphs`, `code`, or `verbatim`.
 */
function text(max: number, options: TextOptions) {
  const { min = 0, multiline = false, error = "must be text" } = options;
  const { empty = "can't be empty", tooLong = `must be at most ${max} characters` } = options;
  const { controls } = options;
  return z
    .string({ error })
    .refine((value) => value.isWellFormed(), { error: illFormedMessage, abort: true })
    .refine((value) => controls === undefined || !anyControl.test(value), {
      error: controls ?? "",
      abort: true,
    })
    .overwrite((value) => cleanText(value, { multiline }))
    .min(min, empty)
    .max(max, tooLong);
}

/** A text of one line: line breaks and tabs are removed like other control characters. */
export function line(max: number, options: Omit<TextOptions, "multiline"> = {}) {
  return text(max, { ...options, multiline: false });
}

/** A text of several lines, in which line breaks and tabs stay. */
export function paragraphs(max: number, options: Omit<TextOptions, "multiline"> = {}) {
  return text(max, { ...options, multiline: true });
}

/** A text as stored: trimmed, without control characters, `least` to `max` characters. */
export function boundedText(max: number, { least: min = 0, multiline = true } = {}) {
  return text(max, { min: min, multiline });
}

/** A text made by a program, such as an ID or a token: at most `max` printable ASCII characters. */
export function code(max: number, error: StringError = "must be text") {
  return z
    .string({ error })
    .max(max, `must be at most ${max} characters`)
    .regex(/^[\x21-\x7e]*$/, "has a character that isn't allowed there");
}

/** Marks texts that are stored unchanged; nothing else may have this mark. */
const keptVerbatim = z.refine<string>((value) => value.isWellFormed() && !hasControls(value), {
  error: controlCharactersMessage,
});

/** A secret that somebody types, such as a password: limited, but not trimmed or composed. */
export function verbatim(max: number) {
  return z.string("must be text").max(max, "is too long").check(keptVerbatim);
}

/** Whether a schema was made by `verbatim`. */
export function isVerbatim(schema: z.core.$ZodType): boolean {
  const { _zod: internals } = schema;
  return internals.def.checks?.includes(keptVerbatim) ?? false;
}
