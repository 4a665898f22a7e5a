import { AppError } from "../../kit/errors.ts";
import type { RunStatus } from "./schema.ts";

/**
 * Allowed transitions. A run without anything to publish (ask mode, or an instruction that changes
 * no file) ends as `discarded` with its message, without a preview.
 */
const transitions: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ["running", "failed", "cancelled", "interrupted"],
  running: ["building", "discarded", "failed", "cancelled", "interrupted"],
  building: ["running", "preview_ready", "discarded", "failed", "cancelled", "interrupted"],
  preview_ready: ["publishing", "discarded"],
  publishing: ["published", "preview_ready"],
  published: [],
  discarded: [],
  failed: ["discarded"],
  cancelled: [],
  interrupted: ["discarded"],
};

/** The states in which the run has a worker: it can be cancelled, and a crash interrupts it. */
export const activeStatuses: readonly RunStatus[] = ["queued", "running", "building"];

/** The states in which a run's artifact has to stay on disk. */
export const openStatuses: readonly RunStatus[] = [
  "queued",
  "running",
  "building",
  "preview_ready",
  "publishing",
];

/** The states from which the same instruction can be retried as a new run. */
export const retryableStatuses: readonly RunStatus[] = [
  "failed",
  "cancelled",
  "interrupted",
  "discarded",
];

/** Whether a state ends a run's event stream. */
export function isFinal(status: RunStatus): boolean {
  return !openStatuses.includes(status);
}

/** Whether a run in state `from` may go to `to`. */
export function canTransition(from: RunStatus, to: RunStatus): boolean {
  return transitions[from].includes(to);
}

/** The error for a forbidden transition: 409 `invalid_state`, with the current state as details. */
export function invalidStateError(action: string, status: RunStatus): AppError {
  return new AppError(
    "invalid_state",
    `A run that is ${describeStatus(status)} can't be ${action}.`,
    {
      details: { status },
    },
  );
}

function describeStatus(status: RunStatus): string {
  return status === "preview_ready" ? "ready to preview" : status;
}
