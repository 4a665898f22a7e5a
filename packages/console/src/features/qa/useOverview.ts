import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { useClient } from "../../api/context.tsx";
import type { QaOverview } from "../../api/types.ts";
import { useVisible } from "../../ui/useVisible.ts";

export const api = "/api/adminqa";
export const overviewKey = ["qa", "overview"] as const;
export const findingsKey = ["qa", "findings"] as const;
export const rulesKey = ["qa", "rules"] as const;

/** Polling intervals in ms: while a QA run or a task is running, and otherwise. */
interface OverviewPace {
  running: number;
  queued: number;
  else: number;
  /** While the tab is hidden; false disables polling. */
  hidden: number | false;
}

/** For a page that shows only this. */
const pagePace: OverviewPace = { running: 2000, queued: 5000, else: 15_000, hidden: 15_000 };

interface OverviewSnapshot {
  overview: QaOverview;
  etag: string | null;
}

function nextPollMs(
  overview: QaOverview | undefined,
  visible: boolean,
  every: OverviewPace,
): number | false {
  if (!visible) return every.hidden;
  if (!overview) return every.else;
  if (overview.currentRun) return every.running;
  return overview.queued > 0 ? every.queued : every.else;
}

/** The summary above the findings, polled; if unchanged, the response is empty. */
export function useOverview(pace = pagePace) {
  const client = useClient();
  const queries = useQueryClient();
  const visible = useVisible();
  return useQuery({
    queryKey: overviewKey,
    queryFn: async ({ signal }): Promise<OverviewSnapshot> => {
      const known = queries.getQueryData<OverviewSnapshot>(overviewKey);
      const response = await client.getChanged<QaOverview>(
        `${api}/overview`,
        known?.etag ?? null,
        signal,
      );
      if (response === null && known) return known;
      if (response === null) throw new Error("There is no overview that could be the same.");
      return { overview: response.data, etag: response.etag };
    },
    refetchInterval: (query) => nextPollMs(query.state.data?.overview, visible, pace),
    refetchIntervalInBackground: true,
  });
}

/** Reloads the findings when the overview shows that they have changed. */
export function useFindingsRefresh(overview: QaOverview | undefined): void {
  const queries = useQueryClient();
  const { open, queued, ignored, lastRun: last } = overview ?? {};
  const now = overview && JSON.stringify([open, queued, ignored, last?.id]);
  const before = useRef(now);
  useEffect(() => {
    const changed = before.current !== undefined && before.current !== now;
    before.current = now;
    if (!changed) return;
    void queries.invalidateQueries({ queryKey: findingsKey });
    void queries.invalidateQueries({ queryKey: rulesKey });
  }, [now, queries]);
}
