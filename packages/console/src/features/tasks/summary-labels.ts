import type { Task, TaskStatus } from "../../api/types.ts";
import type { IconName } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { changeSummary, firstLine } from "../runs/labels.ts";
import { attemptLabel, isPublishing, taskStatusLabel, stepLabel } from "./labels.ts";
import { nextStepText, type QueueState } from "./status-text.ts";

export interface TaskStatusView {
  label: string;
  /** Null for the icon of running tasks. */
  icon: IconName | null;
  /** The style of the run state with the same meaning. */
  variant: string;
}

const statusSigns: Readonly<Record<TaskStatus, Omit<TaskStatusView, "label">>> = {
  queued: { icon: "clock", variant: "queued" },
  claimed: { icon: null, variant: "running" },
  building: { icon: null, variant: "running" },
  needs_review: { icon: "eye", variant: "preview_ready" },
  published: { icon: "check", variant: "published" },
  reverted: { icon: "stop", variant: "interrupted" },
  failed: { icon: "cross", variant: "failed" },
  cancelled: { icon: "stop", variant: "cancelled" },
};

/** A task's state as shown on the board, with its icon. */
export function taskStatusOf(task: Task): TaskStatusView {
  const sign = isPublishing(task)
    ? { icon: null, variant: "publishing" }
    : statusSigns[task.status];
  return { ...sign, label: taskStatusLabel(task) };
}

/** What a task is doing, is waiting for, or has resulted in, on one line; may be empty. */
export function summaryLine(task: Task, queue: QueueState | null, now: number): string {
  const error = firstLine(plainText(task.error));
  switch (task.status) {
    case "queued":
      return task.waiting === null ? "" : nextStepText(task, queue, now);
    case "claimed":
    case "building":
      return [stepLabel(task), attemptLabel(task)].filter(Boolean).join(" · ");
    case "needs_review":
      return error === "" ? "" : `Last attempt to publish failed: ${error}`;
    case "reverted":
    case "failed":
      return error || "No reason was recorded.";
    case "published":
    case "cancelled":
      return "";
  }
}

/** A run's changes: "2 files, +9 −5, not live"; null if none are known. */
export function changedFilesLabel({ run, status }: Pick<Task, "run" | "status">): string | null {
  if (run === null || run.filesChanged.length === 0) return null;
  return changeSummary(run.filesChanged) + (status === "needs_review" ? ", not live" : "");
}

/** Why no tasks start; null if they do. */
export function queueBlockedText({ paused, runners }: QueueState): string | null {
  if (runners === 0) return "No runner is active. Queued tasks start when one is.";
  return paused ? "The queue is paused. Only changes you approve go live." : null;
}
