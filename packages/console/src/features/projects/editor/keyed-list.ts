/** A list item that keeps its identity while it is moved and edited. */
export interface Keyed {
  readonly key: string;
}

let made = 0;

/** A key that no other item of this page has. */
export function newKey(): string {
  made += 1;
  return `n${made}`;
}

export function indexOfKey(list: readonly Keyed[], key: string): number {
  return list.findIndex((item) => item.key === key);
}

/** The list with the item at `key` changed. */
export function change<T extends Keyed>(list: readonly T[], key: string, part: Partial<T>): T[] {
  return list.map((item) => (item.key === key ? { ...item, ...part } : item));
}

/** The list without the item with this `key`. */
export function without<T extends Keyed>(list: readonly T[], key: string): T[] {
  return list.filter((item) => item.key !== key);
}

/** The list with `items` inserted at `index`; past the end they are appended. */
export function insert<T>(list: readonly T[], index: number, items: readonly T[]): T[] {
  return list.toSpliced(Math.max(0, Math.min(index, list.length)), 0, ...items);
}

/** The list with the item moved to `index`, clamped to the list. */
export function moveTo<T extends Keyed>(list: readonly T[], key: string, index: number): T[] {
  const item = list.find((candidate) => candidate.key === key);
  if (!item) return [...list];
  const rest = without(list, key);
  return insert(rest, index, [item]);
}
