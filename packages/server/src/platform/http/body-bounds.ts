import type { z } from "zod";

/** What a body may be at most, as far as its schema says. */
export interface BodyBounds {
  /** Bytes of its JSON text. */
  bytes: number;
  /** How deep its lists and objects may lie in each other. */
  depth: number;
  /** Members of objects and items of lists, at all depths. */
  values: number;
  /** UTF-16 code units of a text before it is cleaned. */
  text: number;
}

/** What a schema is made of. */
function definition(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  const { _zod: internals } = schema as z.core.$ZodTypes;
  return internals.def;
}

/** A number, a truth value, a time or another text whose format bounds it, in bytes of JSON. */
const scalar: BodyBounds = { bytes: 64, depth: 0, values: 0, text: 64 };

/** A text of `length` UTF-16 code units, each of them written as `\uXXXX`. */
function textBounds(length: number): BodyBounds {
  return { bytes: 6 * length + 2, depth: 0, values: 0, text: length };
}

function largest(all: readonly BodyBounds[]): BodyBounds {
  const most = (metric: keyof BodyBounds) => Math.max(0, ...all.map((bounds) => bounds[metric]));
  return {
    bytes: most("bytes"),
    depth: most("depth"),
    values: most("values"),
    text: most("text"),
  };
}

function unbounded(path: string, what: string): never {
  throw new TypeError(`${path} ${what}: bodies need bounds`);
}

/** Formats that zod's own expressions bound well enough for `scalar`. */
const shortFormats = new Set(["date", "datetime", "time", "duration", "ulid", "uuid", "ipv4"]);

/** The most characters or items that the checks of a schema let through. */
function maximumOf({ checks = [] }: z.core.$ZodTypeDef): number {
  const maxima = checks.map((check) => {
    const { _zod: internals } = check;
    const def = internals.def as { check: string; maximum?: number; length?: number };
    const is = { max_length: def.maximum, length_equals: def.length }[def.check];
    return is ?? Number.POSITIVE_INFINITY;
  });
  return Math.min(...maxima);
}

function boundString(def: z.core.$ZodStringDef, path: string): BodyBounds {
  const maximum = maximumOf(def);
  if (Number.isFinite(maximum)) return textBounds(maximum);
  const { format = "" } = def as { format?: string };
  return shortFormats.has(format) ? scalar : unbounded(path, "has no maximum length");
}

function boundObject(def: z.core.$ZodObjectDef, path: string): BodyBounds {
  if (def.catchall && definition(def.catchall).type !== "never") unbounded(path, "takes any key");
  const keys = Object.keys(def.shape);
  const members = Object.entries(def.shape).map(([key, member]) =>
    boundsAt(member, `${path}.${key}`),
  );
  const most = largest(members);
  return {
    bytes: members.reduce(
      (sum, { bytes }) => sum + bytes,
      keys.join().length + 4 * keys.length + 2,
    ),
    values: members.reduce((sum, { values }) => sum + values + 1, 1),
    depth: most.depth + 1,
    text: most.text,
  };
}

function boundArray(def: z.core.$ZodArrayDef, path: string): BodyBounds {
  const maximum = maximumOf(def);
  if (!Number.isFinite(maximum)) return unbounded(path, "has no maximum number of items");
  const each = boundsAt(def.element, `${path}[]`);
  return {
    bytes: (each.bytes + 1) * maximum + 2,
    values: (each.values + 1) * maximum + 1,
    depth: each.depth + 1,
    text: each.text,
  };
}

function boundsAt(schema: z.core.$ZodType, path: string): BodyBounds {
  const def = definition(schema);
  switch (def.type) {
    case "string":
      return boundString(def, path);
    case "number":
    case "boolean":
    case "null":
    case "undefined":
    case "date":
      return scalar;
    case "literal":
      return largest([scalar, ...def.values.map((value) => textBounds(String(value).length))]);
    case "enum":
      return largest(Object.values(def.entries).map((value) => textBounds(String(value).length)));
    case "object":
      return boundObject(def, path);
    case "array":
      return boundArray(def, path);
    case "union":
      return largest(def.options.map((option) => boundsAt(option, path)));
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return boundsAt(def.innerType, path);
    case "pipe":
      return boundsAt(def.in, path);
    default:
      return unbounded(path, `is of the kind ${def.type}, which nothing bounds`);
  }
}

/** For what is typed too much: it is named as a fault of its field, not refused with the whole body. */
const slack = { bytes: 4096, values: 32, depth: 2, text: 1024 };

/**
 * What a body of a schema may be at most. Throws `TypeError` for a schema with a text, list or
 * object in it that takes any amount: `name` says in which route.
 */
export function bodyBounds(schema: z.core.$ZodType, name: string): BodyBounds {
  const { bytes, values, depth, text } = boundsAt(schema, name);
  return {
    bytes: Math.ceil((1.25 * bytes) / 1024) * 1024 + slack.bytes,
    values: values + slack.values,
    depth: depth + slack.depth,
    text: 4 * text + slack.text,
  };
}
