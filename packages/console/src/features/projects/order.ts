/** The list with the item moved from `from` to `to`; unchanged if they are out of range. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  const within = (index: number): boolean => index >= 0 && index < items.length;
  if (!within(from) || !within(to)) return next;
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/**
 * The IDs affected by a move, in their new order: only those between the two places, so that
 * concurrent changes elsewhere stay. Empty if out of range.
 */
export function movedIds(ids: readonly number[], from: number, to: number): number[] {
  if (Math.min(from, to) < 0 || Math.max(from, to) >= ids.length) return [];
  return moved(ids, from, to).slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** The list with the items in `ids` rearranged in that order within their places. */
export function reordered<T extends { id: number }>(
  items: readonly T[],
  ids: readonly number[],
): T[] {
  const named = new Map(items.filter(({ id }) => ids.includes(id)).map((item) => [item.id, item]));
  const queue = ids.flatMap((id) => named.get(id) ?? []);
  return items.map((item) => (named.has(item.id) ? (queue.shift() ?? item) : item));
}
