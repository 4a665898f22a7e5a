import { AppError } from "../../kit/errors.ts";
import type { BoardColumn, TaskStatus } from "./schema.ts";

/**
 * Allowed transitions. A claimed task is held by a worker; it is building once its run has started.
 * If another worker can continue it, or it waits for something, it is queued again.
 */
const transitions: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  queued: ["claimed", "cancelled"],
  claimed: ["building", "queued", "published", "reverted", "failed", "cancelled"],
  building: ["published", "needs_review", "reverted", "failed", "queued", "cancelled"],
  needs_review: ["published", "cancelled", "queued"],
  published: [],
  reverted: ["queued"],
  failed: ["queued"],
  cancelled: ["queued"],
};

/** The states in which a worker holds the task. */
export const activeStatuses: readonly TaskStatus[] = ["claimed", "building"];

/** The states in which the task can be cancelled: all before it is published. */
export const cancellableStatuses: readonly TaskStatus[] = [
  "queued",
  "claimed",
  "building",
  "needs_review",
];

/** The states from which a person may requeue the task. */
export const retryableStatuses: readonly TaskStatus[] = [
  "reverted",
  "failed",
  "cancelled",
  "needs_review",
];

/** The board's column for each state. */
export const columnOf: Readonly<Record<TaskStatus, BoardColumn>> = {
  queued: "queued",
  claimed: "running",
  building: "running",
  needs_review: "needs_review",
  published: "published",
  reverted: "ended",
  failed: "ended",
  cancelled: "ended",
};

/** Whether a task in state `from` may go to `to`. */
export function canTransitionTask(from: TaskStatus, to: TaskStatus): boolean {
  return transitions[from].includes(to);
}

/** The error for a forbidden transition: 409 `invalid_state`, with the current state as details. */
export function invalidState(action: string, status: TaskStatus): AppError {
  return new AppError(
    "invalid_state",
    `A task that is ${statusLabel(status)} can't be ${action}.`,
    {
      details: { status },
    },
  );
}

function statusLabel(status: TaskStatus): string {
  if (status === "needs_review") return "waiting for review";
  return status === "claimed" || status === "building" ? "being worked on" : status;
}
