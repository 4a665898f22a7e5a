import { type ReactElement, useEffect, useRef } from "react";

import type { Folds } from "../ui/Disclosure.tsx";
import type { Mode, Run, RunStatus } from "../api/types.ts";
import { isActive } from "../features/runs/labels.ts";
import { LiveRunLog } from "../features/runs/LiveRunLog.tsx";
import { PublishBar } from "../features/runs/PublishBar.tsx";
import { useRun } from "../features/runs/useRun.ts";
import { reloadPage, takeReturn } from "./live-page.ts";
import { MessageQueue } from "./MessageQueue.tsx";
import { RunStyles } from "./RunStyles.tsx";

/** What the rest of the console needs to know about the shown run. */
export interface CurrentRun {
  runId: string;
  mode: Mode;
  status: RunStatus;
  previewUrl: string | null;
  pageUrl: string | null;
  /** Whether it reads messages while it works. */
  readsMessages: boolean;
  /** It was working when it was first shown here, so its result is news. */
  isWatched: boolean;
}

export interface RunPanelProps {
  runId: string;
  diffs: Folds;
  onRun(runId: string): void;
  onCurrent(current: CurrentRun): void;
  /** Whether its preview has been viewed. */
  isLookedAt: boolean;
  onPreview(): void;
  onDone: (() => void) | null;
}

/**
 * Whether the run was working when it was first shown here; the page is reloaded when the run goes
 * live while the owner is watching. It depends on the record, because events are replayed from the
 * start.
 */
function useWatched(run: Run | null): boolean {
  const first = useRef<RunStatus | null>(null);
  first.current ??= run?.status ?? null;
  const before = first.current;
  const isPublished = run?.status === "published";
  const runId = run?.id ?? null;
  useEffect(() => {
    if (runId !== null && isPublished && before !== "published") reloadPage(runId);
  }, [runId, isPublished, before]);
  return before !== null && isActive(before);
}

/** A run: its steps, and the bar with its actions. */
export function RunPanel(props: RunPanelProps): ReactElement {
  const live = useRun(props.runId);
  const { runId, onCurrent } = props;
  const { status, previewUrl } = live.view;
  const pageUrl = live.run?.pageUrl ?? null;
  const mode = live.run?.mode ?? "build";
  // Until the record is here; the server refuses what a run doesn't read.
  const readsMessages = live.run?.readsMessages ?? true;
  const isWatched = useWatched(live.run);
  useEffect(() => {
    if (status === null) return;
    onCurrent({ runId, mode, status, previewUrl, pageUrl, readsMessages, isWatched });
  }, [onCurrent, runId, mode, status, previewUrl, pageUrl, readsMessages, isWatched]);
  return (
    <>
      <RunStyles />
      <LiveRunLog live={live} diffs={props.diffs} />
      <MessageQueue
        runId={runId}
        messages={live.messages}
        over={status !== null && !isActive(status)}
        onChanged={live.withdrawn}
      />
      <PublishBar
        runId={runId}
        live={live}
        diffs={props.diffs}
        takesFocus={() => takeReturn(runId)}
        isLookedAt={props.isLookedAt}
        onRun={props.onRun}
        onPreview={props.onPreview}
        onDone={props.onDone}
      />
    </>
  );
}
