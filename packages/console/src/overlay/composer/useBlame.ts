import { useQuery } from "@tanstack/react-query";

import type { PickedElement } from "../../api/types.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

/** Loads who last changed an element's source line; with a run, in its preview. */
export function useBlame({ file, line }: PickedElement, runId: string | null) {
  const api = useRunsApi();
  return useQuery({
    queryKey: ["runs", "blame", file, line, runId],
    queryFn: () => api.blame(file, line, runId ?? undefined),
  });
}
