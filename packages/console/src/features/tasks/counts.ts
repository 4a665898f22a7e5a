import type { TaskBoard, TaskCounts } from "../../api/types.ts";

/** How many tasks there are of the kind that matters most now, and which kind that is. */
export interface Badge {
  amount: number;
  words: string;
}

/** First what needs the owner, else what is under way, else what waits; null without any. */
export function summarizeCounts(counts: TaskCounts | null): Badge | null {
  if (counts === null) return null;
  const { needsReview, running, queued } = counts;
  const tasks = (amount: number): string => (amount === 1 ? "task" : "tasks");
  if (needsReview > 0) return { amount: needsReview, words: "to review" };
  if (running > 0) return { amount: running, words: `${tasks(running)} running` };
  return queued > 0 ? { amount: queued, words: `${tasks(queued)} queued` } : null;
}

/** How many tasks are where, as a board says it. */
export function countsOf({ columns, paused }: TaskBoard): TaskCounts {
  const total = (name: string): number => columns.find(({ column }) => column === name)?.total ?? 0;
  const needsReview = total("needs_review");
  return { queued: total("queued"), running: total("running"), needsReview, paused };
}

/** "Task #41". */
export function taskLabel(id: number): string {
  return `Task #${id}`;
}
