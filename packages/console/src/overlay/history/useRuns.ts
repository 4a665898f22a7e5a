import { useCallback } from "react";

import type { Run } from "../../api/types.ts";
import { type Pages, usePages } from "../../api/usePages.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

const perPage = 20;

/** The history of runs, newest first, a page at a time. */
export function useRuns(): Pages<Run> {
  const api = useRunsApi();
  const load = useCallback((page: number) => api.listRuns(page, perPage), [api]);
  return usePages(load, perPage);
}
