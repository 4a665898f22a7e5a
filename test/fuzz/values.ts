import * as fc from "fast-check";

/** A JSON Schema as the API's description has it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}

const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });

/** What no schema expects. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\u202e\ufeff",
    "__proto__",
    "../../../../etc/passwd",
    "%00%2e%2e%2f",
    "//host/x",
    "javascript:alert(1)",
    "' or 1=1 --",
    "<script>alert(1)</script>",
    "a\r\nSet-Cookie: b=c",
    "x".repeat(5000),
    -1,
    0,
    1e308,
    2 ** 53,
    0.1,
    null,
    true,
    [],
    {},
    deep(40),
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 4 }),
);

function plainText(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 60, format } = schema;
  if (format === "date-time") return fc.constant("2026-01-02T03:04:05.000Z");
  if (format === "email") return fc.constant("somebody@example.com");
  if (format === "uri") return fc.constant("https://example.com/");
  const pattern = schema.pattern ?? "";
  // Most patterns are those of names; a regular expression of any form would take long to fulfil.
  const unit = pattern === "" ? ("grapheme" as const) : fc.constantFrom(..."abc123");
  const max = Math.max(minLength, Math.min(maxLength, 60));
  return fc.string({ unit, minLength: Math.min(minLength, max), maxLength: max });
}

function resolve(schema: Schema, components: Record<string, Schema>): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (components[name] ?? {});
}

function plainValue(schema: Schema, components: Record<string, Schema>): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.length) return fc.oneof(...choices.map((one) => fromSchema(one, components)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ("const" in schema) return fc.constant(schema.const);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "string") return plainText(schema);
  if (type === "integer" || type === "number") {
    const min = Math.max(schema.minimum ?? 0, -(2 ** 31));
    return fc.integer({ min, max: Math.max(min, Math.min(schema.maximum ?? 100, 2 ** 31 - 1)) });
  }
  if (type === "boolean") return fc.boolean();
  if (type === "array") {
    return fc.array(fromSchema(schema.items ?? {}, components), { maxLength: 4 });
  }
  if (type === "object" || schema.properties) {
    const fields = Object.entries(schema.properties ?? {});
    const entries = fields.map(([name, one]) => [name, fromSchema(one, components)] as const);
    return fc.record(Object.fromEntries(entries), { requiredKeys: schema.required ?? [] });
  }
  return oddValue;
}

/** Mostly what a schema describes, now and then something else, at every depth. */
export function fromSchema(
  given: Schema,
  components: Record<string, Schema> = {},
): fc.Arbitrary<unknown> {
  const schema = resolve(given, components);
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(null).chain(() => plainValue(schema, components)) },
    { weight: 1, arbitrary: oddValue },
  );
}
