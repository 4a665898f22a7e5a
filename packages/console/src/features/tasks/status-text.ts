import type { Task } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { isDraftSaved, isPublishing, isStopping, workerOf } from "./labels.ts";
import { formatUntil } from "./task-times.ts";

/** What else decides when a queued task is taken up. */
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
    return `It waits: ${ending(reason)} Looked at again ${formatUntil(until, now)}.`;
  }
  if (queue?.runners === 0) return "No runner is alive: it starts when one runs.";
  if (queue?.paused) return "The queue is paused: it starts when you resume it, or with Run now.";
  const again = task.run === null ? "" : " again";
  return `It starts${again} by itself as soon as it is its turn.`;
}

function runningText(task: Task): string {
  const worker = workerOf(task);
  if (worker !== null) return `${worker} has taken it up, and says what became of it.`;
  if (task.status === "claimed") return "A worker has taken it up; the work is about to begin.";
  return task.run?.status === "building"
    ? "The change is made; its preview is being built and looked at."
    : "The change is being made. Nothing is live yet.";
}

/** What a task's state means and what happens next, in one or two sentences. */
export function nextStepText(task: Task, queue: QueueState | null, now: number): string {
  if (isStopping(task)) return "Until model, tools and build are down. The site is as it was.";
  if (isPublishing(task)) return "It goes live in a moment.";
  switch (task.status) {
    case "queued":
      return queuedText(task, queue, now);
    case "claimed":
    case "building":
      return runningText(task);
    case "needs_review":
      return "Nothing is live yet. Look at the preview, then publish or discard it.";
    case "published":
      return isDraftSaved(task)
        ? "The draft is under Projects. Visitors see nothing of it."
        : "The change is live.";
    case "reverted":
      return "The site is as it was: nothing of it was kept.";
    case "failed":
      return "It was given up. The site is as it was.";
    case "cancelled":
      return "The site is as it was.";
  }
}
