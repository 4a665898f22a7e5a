import { useEffect, useRef, useState } from "react";

import { useClient } from "../../api/context.tsx";
import type { Pass } from "../../api/types.ts";
import { tabMemory } from "../../ui/storage.ts";
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
  /** The latest word. */
  progress: Progress | null;
  /** Whether the pass tells by itself how it goes; else it has to be asked again and again. */
  live: boolean;
}

interface Known {
  passId: number;
  heard: RecordedSteps;
  progress: Progress | null;
  live: boolean;
}

const keyOf = (passId: number): string => `qa-pass:${passId}`;

function begin(passId: number): Known {
  return {
    passId,
    heard: parseRecordedSteps(tabMemory.get(keyOf(passId))),
    progress: null,
    live: false,
  };
}

/**
 * How the running pass goes, step by step; what was heard is there again after the page was
 * loaded anew. `onFinished` is told once when it is over.
 */
export function useRunSteps(
  running: Pass | null,
  onFinished: (end: QaRunEnd | null) => void,
): QaRunSteps | null {
  const client = useClient();
  const passId = running?.id ?? null;
  const [known, setKnown] = useState<Known | null>(null);
  const finish = useRef(onFinished);
  useEffect(() => {
    finish.current = onFinished;
  });
  const told = running?.progress ?? null;
  useEffect(() => {
    if (passId === null) return;
    const update = (change: (before: Known) => Known): void =>
      setKnown((before) => change(before?.passId === passId ? before : begin(passId)));
    update((before) => before);
    return followQaRun(client, passId, {
      onProgress: (progress) =>
        update((before) => {
          const heard = recordProgress(before.heard, progress);
          tabMemory.set(keyOf(passId), JSON.stringify(heard));
          return { ...before, heard, progress, live: true };
        }),
      onFinished: (end) => {
        tabMemory.remove(keyOf(passId));
        finish.current(end);
      },
      onLost: () => {
        update((before) => ({ ...before, live: false }));
        finish.current(null);
      },
    });
  }, [client, passId]);
  useEffect(() => {
    // Where the pass does not tell by itself, each answer is a word on it.
    if (passId === null || told === null) return;
    setKnown((before) => {
      if (before?.passId !== passId || before.live) return before;
      return { ...before, heard: recordProgress(before.heard, told) };
    });
  }, [passId, told]);
  if (passId === null) return null;
  const mine = known?.passId === passId ? known : begin(passId);
  return {
    steps: stepsOf(mine.heard),
    progress: mine.live ? mine.progress : told,
    live: mine.live,
  };
}
