import { useCallback, useEffect, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import type { Run } from "../types.ts";

export interface Runs {
  items: Run[] | null;
  error: ApiError | null;
  hasMore: boolean;
  more(): void;
  reload(): void;
}

const perPage = 20;

/** The history of runs, newest first, a page at a time. */
export function useRuns(): Runs {
  const { api, epoch, expire } = useConsole();
  const [items, setItems] = useState<Run[] | null>(null);
  const [total, setTotal] = useState(0);
  const [error, setError] = useState<ApiError | null>(null);

  const load = useCallback(
    async (page: number): Promise<void> => {
      try {
        const answer = await api.listRuns(page, perPage);
        setError(null);
        setTotal(answer.total);
        setItems((known) => {
          const before = page === 1 ? [] : (known ?? []);
          const ids = new Set(before.map((run) => run.id));
          return [...before, ...answer.items.filter((run) => !ids.has(run.id))];
        });
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        if (cause.status === 401) expire();
        else setError(cause);
      }
    },
    [api, expire],
  );

  useEffect(() => void load(1), [load, epoch]);
  const loaded = items?.length ?? 0;
  return {
    items,
    error,
    hasMore: loaded < total,
    more: () => void load(Math.floor(loaded / perPage) + 1),
    reload: () => void load(1),
  };
}
