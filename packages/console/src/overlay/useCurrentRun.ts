import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Run } from "../api/types.ts";
import { isOpen } from "../features/runs/labels.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import { tabStorage } from "../ui/storage.ts";

export interface SelectedRun {
  runId: string | null;
  loading: boolean;
  error: Error | null;
  choose(runId: string | null): void;
  retry(): void;
}

/**
 * Which of the newest runs to show: the known one while it is among them, unless it has ended and
 * another one waits. A task's run is shown only if it was selected.
 */
export function chooseRun(known: string | null, newest: readonly Run[]): string | null {
  const waiting = newest.find((run) => isOpen(run.status) && run.task === null);
  const shown = newest.find((run) => run.id === known);
  return (shown && isOpen(shown.status) ? shown : (waiting ?? shown))?.id ?? null;
}

/**
 * The run to show: the last one shown in this tab, otherwise the newest one that needs the owner,
 * whichever tab or device started it; tasks' runs are shown with their tasks.
 */
export function useCurrentRun(): SelectedRun {
  const api = useRunsApi();
  const [known] = useState(() => tabStorage.get("run"));
  // Undefined until one is selected here.
  const [chosen, setChosen] = useState<string | null>();
  const newest = useQuery({
    queryKey: ["runs", "newest"],
    queryFn: () => api.listRuns(1, 20),
    // Only the initial value; from then on it counts as selected.
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
      if (next === null) tabStorage.remove("run");
      else tabStorage.set("run", next);
    },
    retry: () => void newest.refetch(),
  };
}
