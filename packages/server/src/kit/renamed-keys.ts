/** The name that a key had before → the one that it has now. */
export type RenamedKeys = Readonly<Record<string, string>>;

/**
 * An object with its keys under the names that they have now, not those inside of its values; anything
 * else as it is. A key that is there under both names stays, for a schema to refuse.
 */
export function renameKeys(value: unknown, names: RenamedKeys): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = Object.hasOwn(names, key) ? names[key] : undefined;
      return [name === undefined || Object.hasOwn(value, name) ? key : name, member];
    }),
  );
}

/** The same for an object inside of others, found by its keys from the outermost on. */
export function renameKeysAt(value: unknown, path: readonly string[], names: RenamedKeys): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return renameKeys(value, names);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, first)) return value;
  const inner = (value as Record<string, unknown>)[first];
  return { ...value, [first]: renameKeysAt(inner, rest, names) };
}
