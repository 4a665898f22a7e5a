import type { z } from "zod";
import { renameKeys, type RenamedKeys } from "../../kit/renamed-keys.ts";

const renamedFields = new WeakMap<z.ZodType, RenamedKeys>();

/**
 * Makes a request's schema accept former field names, too, which programs may send. Responses have
 * only the current ones. Returns the schema.
 */
export function withRenamedFields<S extends z.ZodType>(schema: S, names: RenamedKeys): S {
  renamedFields.set(schema, names);
  return schema;
}

/** A request's input with its fields under their current names. */
export function readRenamedFields(schema: z.ZodType, data: unknown): unknown {
  const names = renamedFields.get(schema);
  return names === undefined ? data : renameKeys(data, names);
}
