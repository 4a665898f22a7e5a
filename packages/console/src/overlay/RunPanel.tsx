import { type ReactElement, useEffect } from "react";

import type { Folds } from "../ui/Disclosure.tsx";
import type { Mode, RunStatus } from "../api/types.ts";
import { isActive } from "../features/runs/labels.ts";
import { LiveRunLog } from "../features/runs/LiveRunLog.tsx";
import { PublishBar } from "../features/runs/PublishBar.tsx";
import { useRun } from "../features/runs/useRun.ts";
import { MessageQueue } from "./MessageQueue.tsx";
import { RunStyles } from "./RunStyles.tsx";

/** What the rest of the console needs to know of the run that is shown. */
export interface CurrentRun {
  runId: string;
  mode: Mode;
  status: RunStatus;
  previewUrl: string | null;
  pageUrl: string | null;
}

export interface RunPanelProps {
  runId: string;
  diffs: Folds;
  onRun(runId: string): void;
  onCurrent(current: CurrentRun): void;
  onPreview(): void;
  onDone: (() => void) | null;
}

/** One run: its steps, and the bar that says what can be done with it. */
export function RunPanel(props: RunPanelProps): ReactElement {
  const live = useRun(props.runId);
  const { runId, onCurrent } = props;
  const { status, previewUrl } = live.view;
  const pageUrl = live.run?.pageUrl ?? null;
  const mode = live.run?.mode ?? "build";
  useEffect(() => {
    if (status !== null) onCurrent({ runId, mode, status, previewUrl, pageUrl });
  }, [onCurrent, runId, mode, status, previewUrl, pageUrl]);
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
        onRun={props.onRun}
        onPreview={props.onPreview}
        onDone={props.onDone}
      />
    </>
  );
}
