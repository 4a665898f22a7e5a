import type { IconName } from "../components/Icon.tsx";
import { nextWords, type QueueState } from "../manage/tasks/state-words.ts";
import { attemptWords, isPublishing, stateWord, stepWords } from "../manage/tasks/words.ts";
import { plainText } from "../plain-text.ts";
import type { Task, TaskStatus } from "../types.ts";
import { changeCount, firstLine } from "../words.ts";

export interface TaskState {
  word: string;
  /** Null for the sign of something that is under way. */
  icon: IconName | null;
  /** The look of the word: that of the run's state that means the same to the owner. */
  look: string;
}

const signs: Readonly<Record<TaskStatus, Omit<TaskState, "word">>> = {
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
export function stateOf(task: Task): TaskState {
  const sign = isPublishing(task) ? { icon: null, look: "publishing" } : signs[task.status];
  return { ...sign, word: stateWord(task) };
}

/** What a task does, waits for or came to, in one line; empty where its state says it all. */
export function lineOf(task: Task, queue: QueueState | null, now: number): string {
  const error = firstLine(plainText(task.error));
  switch (task.status) {
    case "queued":
      return task.waiting === null ? "" : nextWords(task, queue, now);
    case "claimed":
    case "building":
      return [stepWords(task), attemptWords(task)].filter(Boolean).join(" · ");
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
export function changedOf({ run, status }: Pick<Task, "run" | "status">): string | null {
  if (run === null || run.filesChanged.length === 0) return null;
  return changeCount(run.filesChanged) + (status === "needs_review" ? ", not live" : "");
}

/** Why nothing is taken up; null where something is. */
export function standstillOf({ paused, runners }: QueueState): string | null {
  if (runners === 0) return "No runner is alive: what is queued begins when one runs.";
  return paused
    ? "The queue is paused: nothing begins by itself. What you approve goes live."
    : null;
}
