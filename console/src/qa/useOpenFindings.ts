import { useCallback, useEffect, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import type { QaFinding } from "../types.ts";
import { partByPage } from "./group.ts";
import { useQa } from "./useQa.ts";

export interface OpenFindings {
  /** Those of the page that the console stands on; null while nothing is known. */
  here: readonly QaFinding[] | null;
  others: readonly QaFinding[];
  /** More than are listed. */
  unlisted: number;
  error: ApiError | null;
  /** Reads them again. */
  read(): void;
}

interface Known {
  items: readonly QaFinding[];
  total: number;
}

/** What is open, of this page and of the others; read again when the overview tells of a change. */
export function useOpenFindings(): OpenFindings {
  const { path, epoch, expire } = useConsole();
  const { api, overview, error: unseen } = useQa();
  const [known, setKnown] = useState<Known | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  const state =
    overview &&
    JSON.stringify([overview.open, overview.queued, overview.ignored, overview.last?.id]);
  const failing = unseen !== null;
  useEffect(() => {
    // That the server fails is told once; when it answers again, it is asked.
    if (failing) return;
    let current = true;
    async function read(): Promise<void> {
      try {
        const [mine, all] = await Promise.all([api.findings(path), api.findings()]);
        if (!current) return;
        const ids = new Set(mine.items.map(({ id }) => id));
        const rest = all.items.filter(({ id }) => !ids.has(id));
        setKnown({ items: [...mine.items, ...rest], total: all.total });
        setError(null);
      } catch (cause) {
        if (!current || !(cause instanceof ApiError)) return;
        if (cause.status === 401) expire();
        else setError(cause);
      }
    }
    void read();
    return () => {
      current = false;
    };
  }, [api, path, state, turn, epoch, expire, failing]);
  const read = useCallback(() => setTurn((before) => before + 1), []);
  if (known === null) return { here: null, others: [], unlisted: 0, error, read };
  const unlisted = Math.max(0, known.total - known.items.length);
  return { ...partByPage(known.items, path), unlisted, error, read };
}
