/** Old key → current key. */
export type RenamedKeys = Readonly<Record<string, string>>;

/**
 * An object with its keys renamed, without those inside its values; anything else unchanged. A key
 * present under both names stays, so that a schema refuses it.
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

/** The same for a nested object, found by its keys from the outermost one. */
export function renameKeysAt(value: unknown, path: readonly string[], names: RenamedKeys): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return renameKeys(value, names);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, first)) return value;
  const inner = (value as Record<string, unknown>)[first];
  return { ...value, [first]: renameKeysAt(inner, rest, names) };
}
