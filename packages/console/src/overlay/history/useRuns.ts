import { usePages } from "../../api/usePages.ts";
import { useRunsApi } from "../../features/runs/runs-api.ts";

/** The history of runs, newest first, a page at a time. */
export function useRuns() {
  const api = useRunsApi();
  return usePages(["runs", "history"], (page) => api.listRuns(page, 20));
}
