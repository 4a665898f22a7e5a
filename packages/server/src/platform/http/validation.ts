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

/** Maximum errors named in a response. */
const maxFaults = 10;
/** Maximum characters of a field's name and of its message in a response. */
const maxName = 120;
const maxMessage = 300;

function cut(text: string, length: number): string {
  const clean = cleanText(text);
  return clean.length <= length ? clean : `${clean.slice(0, length - 1).toWellFormed()}…`;
}

/** The error for invalid input: names at most ten fields, each with a limited text. */
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

/** zod's issues, of which only the named ones are formatted. */
function faultsOf(issues: readonly z.core.$ZodRawIssue[]): Fault[] {
  const faults: Fault[] = [];
  for (const issue of issues) {
    const { path = [] } = issue;
    const words = (raw: z.core.$ZodRawIssue) =>
      z.core.util.finalizeIssue(raw, { async: false }, z.config()).message;
    if (issue.code === "unrecognized_keys") {
      // One at a time, because the message lists all keys of the issue.
      for (const key of (issue["keys"] as string[]).slice(0, maxFaults + 1)) {
        const one = { ...issue, keys: [key.slice(0, maxName)] } as z.core.$ZodRawIssue;
        faults.push({ path: [...path, key], message: words(one) });
      }
    } else faults.push({ path, message: words(issue) });
    if (faults.length > maxFaults) break;
  }
  return faults;
}

/** What is wrong with a text or a key; null if nothing is. */
type TextRule = (text: string) => string | null;

/**
 * The first violation of the rule among the texts of plain data, including keys. Data is as deep as
 * a body may be.
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
 * Validates with zod, with limited work and messages: only the first errors are named. No schema
 * can accept text that couldn't be stored: unpaired surrogates, and far more characters than any of
 * its texts allows, are refused before the schema, remaining control characters after it. Throws
 * `TypeError` for an unlimited body schema.
 */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = (route) => {
  const { schema, httpPart, method = "", url = "" } = route;
  // A multipart form is limited by its own parser.
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

/** Converts values to their response form, like `z.encode`. */
const backward = { async: false, direction: "backward" } as const;

/**
 * Serializes a response according to its schema. A response that doesn't match is our own error,
 * which names the first issues, so that neither it nor the log grows with the response.
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
