import type { FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import {
  cleanText,
  controlCharactersMessage,
  hasControls,
  illFormedMessage,
} from "../../kit/text.ts";
import { bodyLimits } from "./body-limits.ts";
import { readRenamedFields } from "./renamed-fields.ts";

/** What is wrong with one field. */
interface Fault {
  path: readonly PropertyKey[];
  message: string;
}

/** An answer names no more faults than this: whoever has them all wrong starts with some. */
const maxFaults = 10;
/** Characters of a field's name and of what is wrong with it, in an answer. */
const maxName = 120;
const maxMessage = 300;

function cut(text: string, length: number): string {
  const clean = cleanText(text);
  return clean.length <= length ? clean : `${clean.slice(0, length - 1).toWellFormed()}…`;
}

/** The refusal of what has faults: at most ten of them are named, each in a bounded text. */
function refusal(faults: readonly Fault[]): AppError {
  const fields = new Map<string, string>();
  for (const { path, message } of faults.slice(0, maxFaults)) {
    const name = cut(path.map(String).join("."), maxName);
    if (!fields.has(name)) fields.set(name, cut(message, maxMessage));
  }
  const names = [...fields.keys()].filter(Boolean);
  const more = faults.length > maxFaults ? ", and more" : "";
  const message =
    names.length > 0
      ? `Check the following: ${names.join(", ")}${more}.`
      : "The request is invalid.";
  return new AppError("validation_failed", message, { fields: Object.fromEntries(fields) });
}

/** The faults that zod has found, of which only those that are named get their words. */
function faultsOf(issues: readonly z.core.$ZodRawIssue[]): Fault[] {
  const faults: Fault[] = [];
  for (const issue of issues) {
    const { path = [] } = issue;
    const words = (raw: z.core.$ZodRawIssue) =>
      z.core.util.finalizeIssue(raw, { async: false }, z.config()).message;
    if (issue.code === "unrecognized_keys") {
      // One at a time: the words name all keys that the issue has.
      for (const key of (issue["keys"] as string[]).slice(0, maxFaults + 1)) {
        const one = { ...issue, keys: [key.slice(0, maxName)] } as z.core.$ZodRawIssue;
        faults.push({ path: [...path, key], message: words(one) });
      }
    } else faults.push({ path, message: words(issue) });
    if (faults.length > maxFaults) break;
  }
  return faults;
}

/** What is wrong with a text, or with a key; null for nothing. */
type TextRule = (text: string) => string | null;

/**
 * The first fault among the texts of plain data, keys included; null where each fits the rule. Data
 * is as deep as a body may be.
 */
function textFault(
  value: unknown,
  rule: TextRule,
  path: readonly PropertyKey[] = [],
): Fault | null {
  if (typeof value === "string") {
    const message = rule(value);
    return message === null ? null : { path, message };
  }
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = typeof item === "number" ? null : textFault(item, rule, [...path, index]);
      if (fault) return fault;
    }
    return null;
  }
  for (const [key, member] of Object.entries(value)) {
    const message = rule(key);
    const fault =
      message === null
        ? textFault(member, rule, [...path, key])
        : { path: [...path, key], message: `has a name that ${message}` };
    if (fault) return fault;
  }
  return null;
}

const controlled: TextRule = (text) => (hasControls(text) ? controlCharactersMessage : null);

/**
 * Validates with zod, in work and words that are bounded whatever comes: it names the first faults
 * only. No schema can let through a text that couldn't be stored: half a surrogate pair, or far more
 * characters than any of its texts takes, is refused before it, and control characters that it has
 * not taken out after it. Throws `TypeError` for a body's schema that has no bounds.
 */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = (route) => {
  const { schema, httpPart, method = "", url = "" } = route;
  // A form of several parts is bounded by its own parser.
  const isBounded = httpPart === "body" && !(schema instanceof z.ZodUnknown);
  const maxText = isBounded ? bodyLimits(schema, `${method} ${url}`).maxTextLength : Infinity;
  const unfit: TextRule = (text) => {
    if (text.length > maxText) return "is too long";
    return text.isWellFormed() ? null : illFormedMessage;
  };
  return (data) => {
    const broken = textFault(data, unfit);
    if (broken) return { error: refusal([broken]) };
    const { _zod: internals } = schema;
    const result = internals.run(
      { value: readRenamedFields(schema, data), issues: [] },
      { async: false },
    );
    if (result instanceof Promise) throw new z.core.$ZodAsyncError();
    if (result.issues.length > 0) return { error: refusal(faultsOf(result.issues)) };
    const dirty = textFault(result.value, controlled);
    if (dirty) return { error: refusal([dirty]) };
    return { value: result.value };
  };
};

/** From what the program has to what an answer carries, as `z.encode` does it. */
const backward = { async: false, direction: "backward" } as const;

/**
 * Makes the text of an answer from what its schema lets through. An answer that doesn't fit is an
 * error of ours: it names the first faults, so that neither it nor the log grows with the answer.
 */
export const compileSerializer: FastifySerializerCompiler<z.ZodType> = (route) => {
  const { schema, method, url } = route;
  return (data) => {
    const { _zod: internals } = schema;
    const result = internals.run({ value: data, issues: [] }, backward);
    if (result instanceof Promise) throw new z.core.$ZodAsyncError();
    if (result.issues.length === 0) return JSON.stringify(result.value);
    const { fields } = refusal(faultsOf(result.issues));
    throw new TypeError(`The answer of ${method} ${url} is not valid: ${JSON.stringify(fields)}`);
  };
};
