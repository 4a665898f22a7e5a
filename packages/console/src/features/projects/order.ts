/** The list with the item at `from` taken to `to`; places outside of it leave it as it is. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  const within = (index: number): boolean => index >= 0 && index < items.length;
  if (!within(from) || !within(to)) return next;
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/**
 * The ids that a move from one place to another concerns, in their new order: only those between
 * the two places, so that what happens elsewhere in the list meanwhile stays. None for a place
 * outside of the list.
 */
export function movedIds(ids: readonly number[], from: number, to: number): number[] {
  if (Math.min(from, to) < 0 || Math.max(from, to) >= ids.length) return [];
  return moved(ids, from, to).slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** A list in which the items that `ids` names take, among themselves, their places in that order. */
export function reordered<T extends { id: number }>(
  items: readonly T[],
  ids: readonly number[],
): T[] {
  const named = new Map(items.filter(({ id }) => ids.includes(id)).map((item) => [item.id, item]));
  const queue = ids.flatMap((id) => named.get(id) ?? []);
  return items.map((item) => (named.has(item.id) ? (queue.shift() ?? item) : item));
}
