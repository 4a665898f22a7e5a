/**
 * The items of a list that was asked for page by page, each once: one that has moved to the next page
 * between two answers is in both.
 */
export function uniqueBy<T, K>(items: readonly T[], keyOf: (item: T) => K): T[] {
  const keys = new Set<K>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !keys.has(key) && keys.add(key);
  });
}
