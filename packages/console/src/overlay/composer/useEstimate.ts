import { keepPreviousData, useQuery } from "@tanstack/react-query";

import type { Estimate, Mode } from "../../api/types.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

/**
 * The estimate of a run; null while unknown. Loaded again when `turn` changes, and when the owner
 * returns to the tab, because a new day may have started.
 */
export function useEstimate(mode: Mode, turn: string): Estimate | null {
  const api = useRunsApi();
  const { data, isError } = useQuery({
    queryKey: ["runs", "estimate", mode, turn],
    queryFn: () => api.estimate(mode),
    staleTime: 0,
    placeholderData: keepPreviousData,
    // Without an estimate, nothing is shown: the server decides when a run is sent.
    retry: false,
  });
  return isError ? null : (data ?? null);
}
