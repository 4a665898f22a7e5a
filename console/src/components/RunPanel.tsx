import { type ReactElement, useEffect } from "react";

import { useRun } from "../hooks/useRun.ts";
import { noSteps } from "../no-steps.ts";
import type { Mode, RunStatus } from "../types.ts";
import { isActive } from "../words.ts";
import { ConnectionNotice } from "./ConnectionNotice.tsx";
import type { Diffs } from "./LogItem.tsx";
import { PublishBar } from "./PublishBar.tsx";
import { Queue } from "./Queue.tsx";
import { RunStyles } from "./RunStyles.tsx";
import { Skeleton } from "./Skeleton.tsx";
import { StreamLog } from "./StreamLog.tsx";

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
  diffs: Diffs;
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
  const loading = status === null && live.error === null;
  return (
    <>
      <RunStyles />
      {loading && live.connection !== "offline" ? (
        <Skeleton lines={4} />
      ) : (
        <StreamLog
          view={live.view}
          origin={live.run?.origin ?? null}
          diffs={props.diffs}
          empty={noSteps(live)}
        />
      )}
      <ConnectionNotice live={live} />
      <Queue
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
