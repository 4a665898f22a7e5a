import { keepPreviousData, useQuery } from "@tanstack/react-query";

import type { Estimate, Mode } from "../../api/types.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

/**
 * What a run will take; null while nobody knows. It is asked again when `turn` changes, and when
 * the owner comes back to the tab: meanwhile a day may have ended.
 */
export function useEstimate(mode: Mode, turn: string): Estimate | null {
  const api = useRunsApi();
  const { data, isError } = useQuery({
    queryKey: ["runs", "estimate", mode, turn],
    queryFn: () => api.estimate(mode),
    staleTime: 0,
    placeholderData: keepPreviousData,
    // A guess that can't be had is left out: the server decides when a run is sent.
    retry: false,
  });
  return isError ? null : (data ?? null);
}
