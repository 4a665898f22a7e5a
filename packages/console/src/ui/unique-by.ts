/**
 * The items of a list loaded page by page, each once: an item that moved to the next page between
 * two responses is in both.
 */
export function uniqueBy<T, K>(items: readonly T[], keyOf: (item: T) => K): T[] {
  const keys = new Set<K>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !keys.has(key) && keys.add(key);
  });
}
