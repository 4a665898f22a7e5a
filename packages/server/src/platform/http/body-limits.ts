import type { z } from "zod";

/** Limits of a body, derived from its schema. */
export interface BodyLimits {
  /** Bytes of its JSON text. */
  maxBytes: number;
  /** Maximum nesting of lists and objects. */
  maxDepth: number;
  /** Members of objects and items of lists, at all depths. */
  maxValues: number;
  /** UTF-16 code units of a text before it is cleaned. */
  maxTextLength: number;
}

/** A schema's definition. */
function definition(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  const { _zod: internals } = schema as z.core.$ZodTypes;
  return internals.def;
}

/** A number, a boolean, a time, or another text limited by its format, in bytes of JSON. */
const scalar: BodyLimits = { maxBytes: 64, maxDepth: 0, maxValues: 0, maxTextLength: 64 };

/** A text of `length` UTF-16 code units, each of them escaped as `\uXXXX`. */
function textLimits(length: number): BodyLimits {
  return { maxBytes: 6 * length + 2, maxDepth: 0, maxValues: 0, maxTextLength: length };
}

function largest(all: readonly BodyLimits[]): BodyLimits {
  const max = (metric: keyof BodyLimits) => Math.max(0, ...all.map((bounds) => bounds[metric]));
  return {
    maxBytes: max("maxBytes"),
    maxDepth: max("maxDepth"),
    maxValues: max("maxValues"),
    maxTextLength: max("maxTextLength"),
  };
}

function unbounded(path: string, what: string): never {
  throw new TypeError(`${path} ${what}: bodies need bounds`);
}

/** Formats that zod's own patterns limit sufficiently for `scalar`. */
const shortFormats = new Set(["date", "datetime", "time", "duration", "ulid", "uuid", "ipv4"]);

/** The maximum characters or items that a schema's checks allow. */
function maximumOf({ checks = [] }: z.core.$ZodTypeDef): number {
  const maxima = checks.map((check) => {
    const { _zod: internals } = check;
    const def = internals.def as { check: string; maximum?: number; length?: number };
    const is = { max_length: def.maximum, length_equals: def.length }[def.check];
    return is ?? Number.POSITIVE_INFINITY;
  });
  return Math.min(...maxima);
}

function limitString(def: z.core.$ZodStringDef, path: string): BodyLimits {
  const maximum = maximumOf(def);
  if (Number.isFinite(maximum)) return textLimits(maximum);
  const { format = "" } = def as { format?: string };
  return shortFormats.has(format) ? scalar : unbounded(path, "has no maximum length");
}

function limitObject(def: z.core.$ZodObjectDef, path: string): BodyLimits {
  if (def.catchall && definition(def.catchall).type !== "never") unbounded(path, "takes any key");
  const keys = Object.keys(def.shape);
  const members = Object.entries(def.shape).map(([key, member]) =>
    limitsAt(member, `${path}.${key}`),
  );
  const max = largest(members);
  return {
    maxBytes: members.reduce(
      (sum, { maxBytes }) => sum + maxBytes,
      keys.join().length + 4 * keys.length + 2,
    ),
    maxValues: members.reduce((sum, { maxValues }) => sum + maxValues + 1, 1),
    maxDepth: max.maxDepth + 1,
    maxTextLength: max.maxTextLength,
  };
}

function limitArray(def: z.core.$ZodArrayDef, path: string): BodyLimits {
  const maximum = maximumOf(def);
  if (!Number.isFinite(maximum)) return unbounded(path, "has no maximum number of items");
  const each = limitsAt(def.element, `${path}[]`);
  return {
    maxBytes: (each.maxBytes + 1) * maximum + 2,
    maxValues: (each.maxValues + 1) * maximum + 1,
    maxDepth: each.maxDepth + 1,
    maxTextLength: each.maxTextLength,
  };
}

function limitsAt(schema: z.core.$ZodType, path: string): BodyLimits {
  const def = definition(schema);
  switch (def.type) {
    case "string":
      return limitString(def, path);
    case "number":
    case "boolean":
    case "null":
    case "undefined":
    case "date":
      return scalar;
    case "literal":
      return largest([scalar, ...def.values.map((value) => textLimits(String(value).length))]);
    case "enum":
      return largest(Object.values(def.entries).map((value) => textLimits(String(value).length)));
    case "object":
      return limitObject(def, path);
    case "array":
      return limitArray(def, path);
    case "union":
      return largest(def.options.map((option) => limitsAt(option, path)));
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return limitsAt(def.innerType, path);
    case "pipe":
      return limitsAt(def.in, path);
    default:
      return unbounded(path, `is of the kind ${def.type}, which nothing bounds`);
  }
}

/**
 * Extra room, so that slightly too long input is reported for its field instead of refusing the
 * whole body.
 */
const slack = { bytes: 4096, values: 32, depth: 2, text: 1024 };

/**
 * The limits of a schema's body. Throws `TypeError` for a schema with an unlimited text, list, or
 * object; `name` identifies the route.
 */
export function bodyLimits(schema: z.core.$ZodType, name: string): BodyLimits {
  const { maxBytes, maxValues, maxDepth, maxTextLength } = limitsAt(schema, name);
  return {
    maxBytes: Math.ceil((1.25 * maxBytes) / 1024) * 1024 + slack.bytes,
    maxValues: maxValues + slack.values,
    maxDepth: maxDepth + slack.depth,
    maxTextLength: 4 * maxTextLength + slack.text,
  };
}
