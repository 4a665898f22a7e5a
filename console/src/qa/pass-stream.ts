import type { Pass } from "../types.ts";
import type { Progress } from "./steps.ts";

export type PassEnd = Pick<Pass, "status" | "counts" | "fresh" | "fixed" | "reopened" | "error">;

export interface PassListener {
  onProgress(progress: Progress): void;
  onFinished(end: PassEnd): void;
  /** Nothing more will be heard: look in another way. */
  onLost(): void;
}

function read<T>(event: Event): T | null {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as T;
  } catch {
    return null;
  }
}

/** Follows a pass as it goes; gives what ends that. */
export function followPass(passId: number, listener: PassListener): () => void {
  const source = new EventSource(`/devconsole/qa/stream/${passId}`);
  source.addEventListener("qa.progress", (event) => {
    const progress = read<Progress>(event);
    if (progress) listener.onProgress(progress);
  });
  source.addEventListener("qa.finished", (event) => {
    source.close();
    const end = read<PassEnd>(event);
    if (end) listener.onFinished(end);
    else listener.onLost();
  });
  source.addEventListener("error", () => {
    // One that is only interrupted connects again by itself.
    if (source.readyState === EventSource.CLOSED) listener.onLost();
  });
  return () => source.close();
}
