import { useCallback } from "react";

import type { Blame, PickedElement } from "../../api/types.ts";
import { type Request, useRequest } from "../../api/useRequest.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

/** Asks who last touched the line that an element comes from; with a run, in its preview. */
export function useBlame({ file, line }: PickedElement, runId: string | null): Request<Blame> {
  const api = useRunsApi();
  const ask = useCallback(
    () => api.blame(file, line, runId ?? undefined),
    [api, file, line, runId],
  );
  return useRequest(ask);
}
