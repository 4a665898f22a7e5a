import type { Task, TaskStatus } from "../../api/types.ts";
import type { IconName } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { changeSummary, firstLine } from "../runs/labels.ts";
import { attemptLabel, isPublishing, taskStatusLabel, stepLabel } from "./labels.ts";
import { nextStepText, type QueueState } from "./status-text.ts";

export interface TaskStatusView {
  word: string;
  /** Null for the sign of something that is under way. */
  icon: IconName | null;
  /** The look of the word: that of the run's state that means the same to the owner. */
  look: string;
}

const statusSigns: Readonly<Record<TaskStatus, Omit<TaskStatusView, "word">>> = {
  queued: { icon: "clock", look: "queued" },
  claimed: { icon: null, look: "running" },
  building: { icon: null, look: "running" },
  needs_review: { icon: "eye", look: "preview_ready" },
  published: { icon: "check", look: "published" },
  reverted: { icon: "stop", look: "interrupted" },
  failed: { icon: "cross", look: "failed" },
  cancelled: { icon: "stop", look: "cancelled" },
};

/** A task's state in a word or two, as the board says it, with its sign. */
export function taskStatusOf(task: Task): TaskStatusView {
  const sign = isPublishing(task) ? { icon: null, look: "publishing" } : statusSigns[task.status];
  return { ...sign, word: taskStatusLabel(task) };
}

/** What a task does, waits for or came to, in one line; empty where its state says it all. */
export function summaryLine(task: Task, queue: QueueState | null, now: number): string {
  const error = firstLine(plainText(task.error));
  switch (task.status) {
    case "queued":
      return task.waiting === null ? "" : nextStepText(task, queue, now);
    case "claimed":
    case "building":
      return [stepLabel(task), attemptLabel(task)].filter(Boolean).join(" · ");
    case "needs_review":
      return error === "" ? "" : `Not published before: ${error}`;
    case "reverted":
    case "failed":
      return error || "The reason was not recorded.";
    case "published":
    case "cancelled":
      return "";
  }
}

/** What the task's run has changed: "2 files, +9 −5, not live"; null where nothing is known to be. */
export function changedFilesLabel({ run, status }: Pick<Task, "run" | "status">): string | null {
  if (run === null || run.filesChanged.length === 0) return null;
  return changeSummary(run.filesChanged) + (status === "needs_review" ? ", not live" : "");
}

/** Why nothing is taken up; null where something is. */
export function queueBlockedText({ paused, runners }: QueueState): string | null {
  if (runners === 0) return "No runner is alive: what is queued begins when one runs.";
  return paused
    ? "The queue is paused: nothing begins by itself. What you approve goes live."
    : null;
}
