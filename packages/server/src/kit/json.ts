import { AppError } from "./errors.ts";

/** What a JSON text is made of, as far as one pass over its characters tells. */
export interface JsonShape {
  /** How deep its lists and objects lie in each other: 0 for a lone value. */
  depth: number;
  /** The members of its objects, those named twice included. */
  keys: number;
  /** At least as many as it has members and list items. */
  values: number;
}

const quote = 0x22;
const backslash = 0x5c;

/** Where the string that begins at `start` ends; the text's end where it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}

/** Measures a JSON text before it is parsed, in one pass. Of what is not JSON it measures something. */
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

/** How deep the lists and objects of a JSON text lie in each other: 0 for a lone value. */
export function jsonDepth(text: string): number {
  return jsonShape(text).depth;
}

/** How many members the objects of a parsed value have, at all depths. */
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
 * Whether an object of the text names a key twice, of which a parser would keep the last (RFC 8259,
 * section 4). `value` is what the text was parsed to: it has fewer members then.
 */
export function hasDuplicateKeys(value: unknown, shape: Pick<JsonShape, "keys">): boolean {
  return countKeys(value) !== shape.keys;
}

/**
 * Parses JSON text that the platform has stored; what is not JSON is `malformed_json`, with the
 * parser's reason kept as cause. Text from outside is for `parseInputJson`.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AppError("malformed_json", "This isn't valid JSON.", { cause });
  }
}

/** Deeper than any file that is read here; what recurses over a value stays shallow. */
const maxDepth = 200;

/**
 * Parses JSON text from outside: a file, the command line. What is not JSON, names a key twice or is
 * nested more than 200 deep is `malformed_json`.
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
