import { useEffect, useRef, useState } from "react";

import { useClient } from "../../api/context.tsx";
import type { QaRun } from "../../api/types.ts";
import { tabStorage } from "../../ui/storage.ts";
import { followQaRun, type QaRunEnd } from "./run-stream.ts";
import {
  type RecordedSteps,
  recordProgress,
  type QaRunStep,
  type Progress,
  parseRecordedSteps,
  stepsOf,
} from "./steps.ts";

export interface QaRunSteps {
  steps: readonly QaRunStep[];
  /** The latest report. */
  progress: Progress | null;
  /** Whether the stream reports progress; otherwise it is polled. */
  live: boolean;
}

interface TrackedRun {
  runId: number;
  steps: RecordedSteps;
  progress: Progress | null;
  live: boolean;
}

const keyOf = (runId: number): string => `qa-run:${runId}`;

function startTracking(runId: number): TrackedRun {
  return {
    runId,
    steps: parseRecordedSteps(tabStorage.get(keyOf(runId))),
    progress: null,
    live: false,
  };
}

/**
 * The progress of the current QA run, step by step, restored after a reload. `onFinished` is called
 * once when it ends.
 */
export function useRunSteps(
  running: QaRun | null,
  onFinished: (end: QaRunEnd | null) => void,
): QaRunSteps | null {
  const client = useClient();
  const runId = running?.id ?? null;
  const [known, setKnown] = useState<TrackedRun | null>(null);
  const finish = useRef(onFinished);
  useEffect(() => {
    finish.current = onFinished;
  });
  const reported = running?.progress ?? null;
  useEffect(() => {
    if (runId === null) return;
    const update = (change: (before: TrackedRun) => TrackedRun): void =>
      setKnown((before) => change(before?.runId === runId ? before : startTracking(runId)));
    update((before) => before);
    return followQaRun(client, runId, {
      onProgress: (progress) =>
        update((before) => {
          const steps = recordProgress(before.steps, progress);
          tabStorage.set(keyOf(runId), JSON.stringify(steps));
          return { ...before, steps, progress, live: true };
        }),
      onFinished: (end) => {
        tabStorage.remove(keyOf(runId));
        finish.current(end);
      },
      onLost: () => {
        update((before) => ({ ...before, live: false }));
        finish.current(null);
      },
    });
  }, [client, runId]);
  useEffect(() => {
    // Without the stream, each response is a report.
    if (runId === null || reported === null) return;
    setKnown((before) => {
      if (before?.runId !== runId || before.live) return before;
      return { ...before, steps: recordProgress(before.steps, reported) };
    });
  }, [runId, reported]);
  if (runId === null) return null;
  const mine = known?.runId === runId ? known : startTracking(runId);
  return {
    steps: stepsOf(mine.steps),
    progress: mine.live ? mine.progress : reported,
    live: mine.live,
  };
}
