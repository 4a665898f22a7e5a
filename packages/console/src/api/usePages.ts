import { useEffect, useState } from "react";

import { type ApiError, asApiError } from "./client.ts";
import type { Page } from "./types.ts";

export interface Pages<T> {
  /** Null until the first page is there. */
  items: readonly T[] | null;
  error: ApiError | null;
  hasMore: boolean;
  /** Loads the next page. */
  more(): void;
  /** Loads the first page again. */
  reload(): void;
}

/** A list that is read a page at a time, each item once. */
export function usePages<T extends { id: number | string }>(
  load: (page: number) => Promise<Page<T>>,
  perPage: number,
): Pages<T> {
  const [items, setItems] = useState<readonly T[] | null>(null);
  const [total, setTotal] = useState(0);
  const [error, setError] = useState<ApiError | null>(null);
  const [wanted, setWanted] = useState({ page: 1, attempt: 0 });
  useEffect(() => {
    let current = true;
    async function read(): Promise<void> {
      try {
        const response = await load(wanted.page);
        if (!current) return;
        setError(null);
        setTotal(response.total);
        setItems((known) => {
          const before = wanted.page === 1 ? [] : (known ?? []);
          const ids = new Set(before.map(({ id }) => id));
          return [...before, ...response.items.filter(({ id }) => !ids.has(id))];
        });
      } catch (cause) {
        if (current) setError(asApiError(cause));
      }
    }
    void read();
    return () => {
      current = false;
    };
  }, [load, wanted]);
  const loaded = items?.length ?? 0;
  const ask = (page: number): void => setWanted({ page, attempt: wanted.attempt + 1 });
  return {
    items,
    error,
    hasMore: loaded < total,
    more: () => ask(Math.floor(loaded / perPage) + 1),
    reload: () => ask(1),
  };
}
