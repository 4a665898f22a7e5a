import { useEffect, useRef, useState } from "react";

import { ApiError } from "../api/client.ts";
import type { Run } from "../api/types.ts";
import { isOpen } from "../features/runs/labels.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import { tabStorage } from "../ui/storage.ts";

export interface SelectedRun {
  runId: string | null;
  loading: boolean;
  error: ApiError | null;
  choose(runId: string | null): void;
  retry(): void;
}

/**
 * Of the newest runs, the one to show: the known one while it is among them, unless it is over
 * and another waits. A task's run is shown only to who has chosen it.
 */
export function chooseRun(known: string | null, newest: readonly Run[]): string | null {
  const waiting = newest.find((run) => isOpen(run.status) && run.task === null);
  const shown = newest.find((run) => run.id === known);
  return (shown && isOpen(shown.status) ? shown : (waiting ?? shown))?.id ?? null;
}

/**
 * The run to show: the one this tab showed last, else the newest that still needs the owner,
 * whichever tab or device began it; what the queue began is with its tasks.
 */
export function useCurrentRun(): SelectedRun {
  const api = useRunsApi();
  const [runId, setRunId] = useState(() => tabStorage.get("run"));
  const [loading, setLoading] = useState(runId === null);
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  const choices = useRef(0);
  useEffect(() => {
    let current = true;
    async function refresh(): Promise<void> {
      const before = choices.current;
      try {
        const page = await api.listRuns(1, 20);
        if (!current) return;
        // A run that was begun meanwhile is not in the answer.
        if (choices.current === before) setRunId((known) => chooseRun(known, page.items));
        setError(null);
      } catch (cause) {
        if (!current || !(cause instanceof ApiError)) return;
        setError(cause);
      }
      setLoading(false);
    }
    void refresh();
    return () => {
      current = false;
    };
  }, [api, turn]);
  return {
    runId,
    loading,
    error,
    choose(next) {
      choices.current += 1;
      setRunId(next);
      if (next === null) tabStorage.remove("run");
      else tabStorage.set("run", next);
    },
    retry: () => setTurn(turn + 1),
  };
}
