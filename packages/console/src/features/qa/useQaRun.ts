import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { ApiError } from "../../api/client.ts";
import { useAnnounce } from "../../api/context.tsx";
import type { QaRun, QaOverview } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { runAnnouncement } from "./labels.ts";
import { overviewKey } from "./useOverview.ts";
import { type QaRunSteps, useRunSteps } from "./useRunSteps.ts";

/** The running pass: how it goes, and what begins and ends one. */
export function useQaRun(overview: QaOverview | undefined, newest: QaRun | null) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  const running = overview?.currentRun ?? null;
  const awaited = [overviewKey];
  const run = useChange({
    async send(client) {
      try {
        await client.post<{ runId: number }>("/devconsole/qa/run", {});
      } catch (error) {
        // One that runs already is as good.
        if (!(error instanceof ApiError) || error.code !== "invalid_state") throw error;
      }
    },
    said: () => "The pass has begun.",
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
    // What was said of the pass before is not of this one.
    if (currentRunId !== undefined) reset();
  }, [currentRunId, reset]);
  return { running, steps, run, stop };
}

/** Tells what a pass came to, once it is over. */
function useEndAnnouncement(
  newest: QaRun | null,
  runningId: number | null,
  announce: (words: string) => void,
): void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    // Of the first pass ever is told too: none was over before it.
    if (runningId !== null) before.current ??= 0;
    if (newest === null) return;
    const known = before.current;
    before.current = newest.id;
    if (known !== null && known !== newest.id) announce(runAnnouncement(newest));
  }, [newest, runningId, announce]);
}

/** Tells each step once, as it begins. */
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
