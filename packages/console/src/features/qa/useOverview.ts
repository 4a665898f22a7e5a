import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { useClient } from "../../api/context.tsx";
import type { Pass, QaOverview } from "../../api/types.ts";
import type { Page } from "../../api/types.ts";
import { useVisible } from "../../ui/useVisible.ts";

export const api = "/api/adminqa";
export const overviewKey = ["qa", "overview"] as const;
export const findingsKey = ["qa", "findings"] as const;
export const rulesKey = ["qa", "rules"] as const;

/** Between two looks, in ms: while a pass runs or a task works on a finding, and else. */
interface OverviewPace {
  running: number;
  queued: number;
  else: number;
  /** While the tab is hidden; false for not at all. */
  hidden: number | false;
}

/** That of a page which shows nothing else. */
const pagePace: OverviewPace = { running: 2000, queued: 5000, else: 15_000, hidden: 15_000 };

interface Look {
  overview: QaOverview;
  etag: string | null;
}

function nextLook(
  overview: QaOverview | undefined,
  visible: boolean,
  every: OverviewPace,
): number | false {
  if (!visible) return every.hidden;
  if (!overview) return every.else;
  if (overview.running) return every.running;
  return overview.queued > 0 ? every.queued : every.else;
}

/** What the page tells above the findings, looked at again and again; unchanged costs an empty answer. */
export function useOverview(pace = pagePace) {
  const client = useClient();
  const queries = useQueryClient();
  const visible = useVisible();
  return useQuery({
    queryKey: overviewKey,
    queryFn: async ({ signal }): Promise<Look> => {
      const known = queries.getQueryData<Look>(overviewKey);
      const answer = await client.getChanged<QaOverview>(
        `${api}/overview`,
        known?.etag ?? null,
        signal,
      );
      if (answer === null && known) return known;
      if (answer === null) throw new Error("There is no overview that could be the same.");
      return { overview: answer.data, etag: answer.etag };
    },
    refetchInterval: (query) => nextLook(query.state.data?.overview, visible, pace),
    refetchIntervalInBackground: true,
  });
}

/** Reads the findings anew when the overview tells that there are others. */
export function useFindingsRefresh(overview: QaOverview | undefined): void {
  const queries = useQueryClient();
  const { open, queued, ignored, last } = overview ?? {};
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

/** The newest pass, also one that failed or was stopped; null while one runs or none is known. */
export function useNewestRun(overview: QaOverview | undefined): Pass | null {
  const client = useClient();
  const running = overview?.running ?? null;
  const newest = useQuery({
    queryKey: ["qa", "newest", running?.id ?? null, overview?.last?.id ?? null],
    enabled: overview !== undefined && running === null,
    staleTime: 0,
    queryFn: ({ signal }) => client.get<Page<Pass>>(`${api}/runs`, { perPage: 1 }, signal),
  });
  return newest.data?.items[0] ?? null;
}
