import type { Task } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { isDraftSaved, isPublishing, isStopping, workerOf } from "./labels.ts";
import { formatUntil } from "./task-times.ts";

/** Other conditions for starting a queued task. */
export interface QueueState {
  paused: boolean;
  runners: number;
}

function ending(text: string): string {
  const clean = plainText(text).trim();
  return clean === "" || /[.!?…]$/.test(clean) ? clean : `${clean}.`;
}

function queuedText(task: Task, queue: QueueState | null, now: number): string {
  if (task.waiting) {
    const { reason, until } = task.waiting;
    return `Waiting: ${ending(reason)} Next attempt ${formatUntil(until, now)}.`;
  }
  if (queue?.runners === 0) return "No runner is active. The task starts when one is.";
  if (queue?.paused)
    return "The queue is paused. The task starts when you resume it or choose Run now.";
  const again = task.run === null ? "" : " again";
  return `It starts${again} automatically when its turn comes.`;
}

function runningText(task: Task): string {
  const worker = workerOf(task);
  if (worker !== null) return `${worker} is working on it and will report the result.`;
  if (task.status === "claimed") return "A worker has claimed it and is about to start.";
  return task.run?.status === "building"
    ? "The change is done. Its preview is being built and checked."
    : "The change is being made. Nothing is live yet.";
}

/** What a task's state means and what happens next, in one or two sentences. */
export function nextStepText(task: Task, queue: QueueState | null, now: number): string {
  if (isStopping(task)) return "Ending model, tools and build. The site is unchanged.";
  if (isPublishing(task)) return "It goes live in a moment.";
  switch (task.status) {
    case "queued":
      return queuedText(task, queue, now);
    case "claimed":
    case "building":
      return runningText(task);
    case "needs_review":
      return "Nothing is live yet. Review the preview, then publish or discard it.";
    case "published":
      return isDraftSaved(task)
        ? "The draft is under Projects. Visitors can’t see it."
        : "The change is live.";
    case "reverted":
      return "The change was undone. The site is unchanged.";
    case "failed":
      return "The task failed. The site is unchanged.";
    case "cancelled":
      return "The site is unchanged.";
  }
}
