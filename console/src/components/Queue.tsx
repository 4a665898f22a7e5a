import type { ReactElement } from "react";

import type { RunMessage } from "../types.ts";

export interface QueueProps {
  runId: string;
  /** Of the run; those that no agent has heard yet are shown. */
  messages: readonly RunMessage[];
  /** Called when one was taken back, with its id. */
  onChanged(messageId: number): void;
}

/** What was said to a run that works and has not been heard yet. */
export function Queue(_props: QueueProps): ReactElement | null {
  return null;
}
