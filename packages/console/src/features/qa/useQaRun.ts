import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { ApiError } from "../../api/client.ts";
import { useAnnounce } from "../../api/context.tsx";
import type { Page, QaOverview, QaRun } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { runAnnouncement } from "./labels.ts";
import { api, overviewKey } from "./useOverview.ts";
import { type QaRunSteps, useRunSteps } from "./useRunSteps.ts";

/**
 * The newest run, including failed and stopped ones; null while one is running or none is known.
 */
function useNewestRun(overview: QaOverview | undefined): QaRun | null {
  const running = overview?.currentRun ?? null;
  const key = ["qa", "newest", running?.id ?? null, overview?.lastRun?.id ?? null];
  const enabled = overview !== undefined && running === null;
  const options = { enabled, staleTime: 0 };
  const newest = useGet<Page<QaRun>>(key, `${api}/runs`, { perPage: 1 }, options);
  return newest.data?.items[0] ?? null;
}

/** The current QA run with its progress and actions, and the newest completed one. */
export function useQaRun(overview: QaOverview | undefined) {
  const newest = useNewestRun(overview);
  const queries = useQueryClient();
  const announce = useAnnounce();
  const running = overview?.currentRun ?? null;
  const awaited = [overviewKey];
  const run = useChange({
    async send(client) {
      try {
        await client.post<{ runId: number }>("/devconsole/qa/run", {});
      } catch (error) {
        // If one is already running, that is fine.
        if (!(error instanceof ApiError) || error.code !== "invalid_state") throw error;
      }
    },
    announcement: () => "QA run started.",
    awaited,
  });
  const stop = useChange<number>({
    send: (client, runId) => client.post("/devconsole/qa/stop", { runId }),
    awaited,
  });
  const steps = useRunSteps(
    running,
    () => void queries.invalidateQueries({ queryKey: overviewKey }),
  );
  useStepAnnouncement(steps, announce);
  useEndAnnouncement(newest, running?.id ?? null, announce);
  const { reset } = stop;
  const currentRunId = running?.id;
  useEffect(() => {
    // Errors of the previous run don't apply to this one.
    if (currentRunId !== undefined) reset();
  }, [currentRunId, reset]);
  return { running, newest, steps, run, stop };
}

/** Announces the result of a QA run. */
function useEndAnnouncement(
  newest: QaRun | null,
  runningId: number | null,
  announce: (words: string) => void,
): void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    // Also for the first run ever, because none was completed before it.
    if (runningId !== null) before.current ??= 0;
    if (newest === null) return;
    const known = before.current;
    before.current = newest.id;
    if (known !== null && known !== newest.id) announce(runAnnouncement(newest));
  }, [newest, runningId, announce]);
}

/** Announces each step once, when it starts. */
function useStepAnnouncement(steps: QaRunSteps | null, announce: (words: string) => void): void {
  const label = steps?.steps.find(({ state }) => state === "running")?.label ?? null;
  const before = useRef(label);
  useEffect(() => {
    const known = before.current;
    before.current = label;
    if (label !== null && known !== label) announce(`${label}…`);
  }, [label, announce]);
}

export type QaRunActions = ReturnType<typeof useQaRun>;
