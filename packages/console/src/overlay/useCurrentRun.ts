import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Run } from "../api/types.ts";
import { isOpen } from "../features/runs/labels.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import { tabMemory } from "../ui/storage.ts";

export interface ShownRun {
  runId: string | null;
  loading: boolean;
  error: Error | null;
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
export function useCurrentRun(): ShownRun {
  const api = useRunsApi();
  const [known] = useState(() => tabMemory.get("run"));
  // Undefined until something is chosen here.
  const [chosen, setChosen] = useState<string | null>();
  const newest = useQuery({
    queryKey: ["runs", "newest"],
    queryFn: () => api.listRuns(1, 20),
    // It says where to begin; from then on it is chosen.
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const found = newest.data ? chooseRun(known, newest.data.items) : known;
  const runId = chosen === undefined ? found : chosen;
  return {
    runId,
    loading: runId === null && newest.isPending && chosen === undefined,
    error: newest.error,
    choose(next) {
      setChosen(next);
      if (next === null) tabMemory.remove("run");
      else tabMemory.set("run", next);
    },
    retry: () => void newest.refetch(),
  };
}
