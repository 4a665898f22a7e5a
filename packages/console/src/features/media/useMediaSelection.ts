import { useRef, useState } from "react";

import type { ListedMedia } from "../../api/types.ts";

export interface MediaSelection {
  /** The selected files that are still shown, in the order of the list. */
  items: readonly ListedMedia[];
  has(item: ListedMedia): boolean;
  /**
   * Selects or deselects a file; with `range`, also all files between it and the one that was
   * changed before.
   */
  set(item: ListedMedia, selected: boolean, range?: boolean): void;
  selectAll(): void;
  clear(): void;
}

/** The selected files among those shown, for common actions. */
export function useMediaSelection(shown: readonly ListedMedia[]): MediaSelection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const last = useRef<number | null>(null);
  const items = shown.filter(({ id }) => ids.has(id));
  return {
    items,
    has: ({ id }) => ids.has(id),
    set(item, selected, range = false) {
      const at = shown.findIndex(({ id }) => id === item.id);
      const from = range ? shown.findIndex(({ id }) => id === last.current) : -1;
      const [start, end] = from < 0 ? [at, at] : [Math.min(at, from), Math.max(at, from)];
      const next = new Set(items.map(({ id }) => id));
      for (const { id } of shown.slice(start, end + 1)) {
        if (selected) next.add(id);
        else next.delete(id);
      }
      last.current = item.id;
      setIds(next);
    },
    selectAll: () => setIds(new Set(shown.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}
