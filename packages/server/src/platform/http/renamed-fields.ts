import type { z } from "zod";
import { renameKeys, type RenamedKeys } from "../../kit/renamed-keys.ts";

const renamedFields = new WeakMap<z.ZodType, RenamedKeys>();

/**
 * Has a request's schema take its fields under the names that they had before, too: programs send
 * them. Answers have the present names only. Returns the schema.
 */
export function withRenamedFields<S extends z.ZodType>(schema: S, names: RenamedKeys): S {
  renamedFields.set(schema, names);
  return schema;
}

/** What a request brings, with its fields under their present names. */
export function readRenamedFields(schema: z.ZodType, data: unknown): unknown {
  const names = renamedFields.get(schema);
  return names === undefined ? data : renameKeys(data, names);
}
