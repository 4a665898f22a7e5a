import type { Client } from "../../api/client.ts";
import { followEvents } from "../../api/event-stream.ts";
import type { QaRun } from "../../api/types.ts";
import { pause } from "../../ui/visibility.ts";
import type { Progress } from "./steps.ts";

export type QaRunEnd = Pick<
  QaRun,
  "status" | "counts" | "newFindings" | "fixedFindings" | "reopenedFindings" | "error"
>;

export interface QaRunListener {
  onProgress(progress: Progress): void;
  onFinished(end: QaRunEnd): void;
  /** The stream is interrupted: use polling. */
  onLost(): void;
}

type QaRunEvent = { type: "qa.progress"; data: Progress } | { type: "qa.finished"; data: QaRunEnd };

/** Follows a running QA run; returns a function that stops. */
export function followQaRun(client: Client, runId: number, listener: QaRunListener): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  followEvents<QaRunEvent>({
    open: (lastEventId, stop) =>
      client.open(`/devconsole/qa/stream/${runId}`, { lastEventId, signal: stop }),
    signal,
    onEvents(events) {
      for (const event of events) {
        if (event.type === "qa.progress") listener.onProgress(event.data);
        else if (event.type === "qa.finished") listener.onFinished(event.data);
      }
    },
    onConnection(state) {
      if (state === "offline") listener.onLost();
    },
    isLast: ({ type }) => type === "qa.finished",
    wait: (milliseconds, stop) => pause(milliseconds, stop),
  }).catch(() => {
    if (!signal.aborted) listener.onLost();
  });
  return () => controller.abort();
}
