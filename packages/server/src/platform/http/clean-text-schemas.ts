import type { z } from "zod";
import { isVerbatim } from "../../kit/fields.ts";
import { cleanText } from "../../kit/text.ts";

/** Texts that a schema must not return unchanged. */
const samples = [
  "a\u0000b",
  "a\u0007b",
  "a\u202Eb",
  " padded ",
  "e\u0301",
  "/a\u0000",
  "/a\u0301 ",
  "a\u0001@example.com",
];

/** The first text in plain data that isn't clean; null if there is none. */
function dirtyText(value: unknown): string | null {
  if (typeof value === "string") {
    return cleanText(value, { multiline: true }) === value ? null : value;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const part of Object.values(value)) {
    const dirty = dirtyText(part);
    if (dirty !== null) return dirty;
  }
  return null;
}

/** Many routes share schemas, and trying each again at every start would take its time. */
const tried = new WeakSet<z.core.$ZodType>();

function assertRejectsSamples(schema: z.core.$ZodType, name: string): void {
  if (tried.has(schema)) return;
  for (const sample of samples) {
    const { _zod: internals } = schema;
    const result = internals.run({ value: sample, issues: [] }, { async: false });
    if (result instanceof Promise || result.issues.length > 0) continue;
    if (dirtyText(result.value) === null) continue;
    const text = JSON.stringify(sample);
    throw new TypeError(`${name} lets ${text} through: make it with line, paragraphs or code`);
  }
  tried.add(schema);
}

/**
 * Makes sure that a schema returns every text trimmed, composed, and without control characters,
 * except those marked to be stored as typed. It tries sample texts, so it doesn't matter how the
 * schema is made. Throws `TypeError`; `name` identifies the route.
 */
export function assertCleanTexts(schema: z.core.$ZodType, name: string): void {
  const {
    _zod: { def },
  } = schema as z.core.$ZodTypes;
  switch (def.type) {
    case "object":
      for (const [key, member] of Object.entries(def.shape)) {
        assertCleanTexts(member, `${name}.${key}`);
      }
      return;
    case "array":
      assertCleanTexts(def.element, `${name}[]`);
      return;
    case "union":
      for (const option of def.options) assertCleanTexts(option, name);
      return;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      assertCleanTexts(def.innerType, name);
      return;
    default:
      if (!isVerbatim(schema)) assertRejectsSamples(schema, name);
  }
}
