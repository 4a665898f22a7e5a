import { AppError } from "./errors.ts";

/** Properties of a JSON text that one pass over its characters can determine. */
export interface JsonShape {
  /** Maximum nesting of lists and objects: 0 for a single value. */
  depth: number;
  /** The number of object members, including duplicates. */
  keys: number;
  /** At least the number of members and list items. */
  values: number;
}

const quote = 0x22;
const backslash = 0x5c;

/** Where the string that starts at `start` ends, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}

/**
 * Measures a JSON text before it is parsed, in one pass. For text that isn't JSON, the result is
 * arbitrary.
 */
export function jsonShape(text: string): JsonShape {
  const shape: JsonShape = { depth: 0, keys: 0, values: 0 };
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "{":
      case "[":
        depth += 1;
        shape.values += 1;
        if (depth > shape.depth) shape.depth = depth;
        break;
      case "}":
      case "]":
        depth -= 1;
        break;
      case ",":
        shape.values += 1;
        break;
      case ":":
        shape.keys += 1;
        break;
      default:
    }
  }
  return shape;
}

/** The maximum nesting of lists and objects in a JSON text: 0 for a single value. */
export function jsonDepth(text: string): number {
  return jsonShape(text).depth;
}

/** The number of object members in a parsed value, at all depths. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  const members = Object.values(value);
  for (const member of members) count += countKeys(member);
  return count + members.length;
}

/**
 * Whether an object in the text has a duplicate key, of which a parser would keep the last (RFC
 * 8259, section 4). `value` is the parsed text, which then has fewer members.
 */
export function hasDuplicateKeys(value: unknown, shape: Pick<JsonShape, "keys">): boolean {
  return countKeys(value) !== shape.keys;
}

/**
 * Parses JSON text stored by the platform; anything else is `malformed_json`, with the parser's
 * error as the cause. For text from outside, use `parseInputJson`.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AppError("malformed_json", "This isn't valid JSON.", { cause });
  }
}

/** Deeper than any file read here, but shallow enough for recursion. */
const maxDepth = 200;

/**
 * Parses JSON text from outside: a file or the command line. Text that isn't JSON, has duplicate
 * keys, or is nested more than 200 deep is `malformed_json`.
 */
export function parseInputJson(text: string): unknown {
  const shape = jsonShape(text);
  if (shape.depth > maxDepth) {
    throw new AppError("malformed_json", `The JSON is nested more than ${maxDepth} levels deep.`);
  }
  const value = parseJson(text);
  if (hasDuplicateKeys(value, shape)) {
    throw new AppError("malformed_json", "An object in this JSON has the same key twice.");
  }
  return value;
}
