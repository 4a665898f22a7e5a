import { type ReactElement, useEffect } from "react";

import { type LiveRun, useRun } from "../hooks/useRun.ts";
import type { RunStatus } from "../types.ts";
import { ConnectionNotice } from "./ConnectionNotice.tsx";
import type { Diffs } from "./LogItem.tsx";
import { PublishBar } from "./PublishBar.tsx";
import { Skeleton } from "./Skeleton.tsx";
import { StreamLog } from "./StreamLog.tsx";

/** What the rest of the console needs to know of the run that is shown. */
export interface CurrentRun {
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

function currentOf({ run, view }: LiveRun): CurrentRun | null {
  if (view.status === null) return null;
  return { status: view.status, previewUrl: view.previewUrl, pageUrl: run?.pageUrl ?? null };
}

/** One run: its steps, and the bar that says what can be done with it. */
export function RunPanel(props: RunPanelProps): ReactElement {
  const live = useRun(props.runId);
  const { onCurrent } = props;
  const current = currentOf(live);
  const { status, previewUrl, pageUrl } = current ?? {};
  useEffect(() => {
    if (status) onCurrent({ status, previewUrl: previewUrl ?? null, pageUrl: pageUrl ?? null });
  }, [onCurrent, status, previewUrl, pageUrl]);
  const loading = live.view.status === null && live.error === null;
  return (
    <>
      {loading && live.connection !== "offline" ? (
        <Skeleton lines={4} />
      ) : (
        <StreamLog view={live.view} diffs={props.diffs} />
      )}
      <ConnectionNotice live={live} />
      <PublishBar
        runId={props.runId}
        live={live}
        onRun={props.onRun}
        onPreview={props.onPreview}
        onDone={props.onDone}
      />
    </>
  );
}
