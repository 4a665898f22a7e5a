import { useEffect, useState } from "react";

import type { Estimate, Mode } from "../../api/types.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

/**
 * What a run will take; null while nobody knows. It is asked again when `turn` changes, and when
 * the owner comes back to the tab: meanwhile a day may have ended.
 */
export function useEstimate(mode: Mode, turn: string): Estimate | null {
  const api = useRunsApi();
  const [estimate, setEstimate] = useState<Estimate | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    // A guess that can't be had is left out: the server decides when a run is sent.
    const ask = (): void =>
      void api.estimate(mode).then(
        (found) => !signal.aborted && setEstimate(found),
        () => !signal.aborted && setEstimate(null),
      );
    ask();
    addEventListener("focus", ask, { signal });
    return () => abort.abort();
  }, [api, mode, turn]);
  return estimate;
}
