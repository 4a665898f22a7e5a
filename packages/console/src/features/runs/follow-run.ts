import { followEvents, type FollowOptions } from "../../api/event-stream.ts";
import type { RunEvent, RunStatus } from "../../api/types.ts";

const finalStates = new Set(["published", "discarded", "failed", "cancelled", "interrupted"]);

/** Whether a run in this state has ended. */
export function isFinal(status: RunStatus): boolean {
  return finalStates.has(status);
}

export type FollowRunOptions = Omit<FollowOptions<RunEvent>, "isLast">;

/** Follows a run until its final state. */
export function followRun(options: FollowRunOptions): Promise<void> {
  return followEvents({
    ...options,
    isLast: (event) => event.type === "run.finished" && isFinal(event.data.status),
  });
}
