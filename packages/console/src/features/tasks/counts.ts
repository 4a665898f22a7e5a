import type { TaskBoard, TaskCounts } from "../../api/types.ts";

/** The number of tasks of the most important kind, and that kind. */
export interface Badge {
  count: number;
  label: string;
}

/**
 * First what needs the owner, otherwise what is running, otherwise what waits; null without any.
 */
export function summarizeCounts(counts: TaskCounts | null): Badge | null {
  if (counts === null) return null;
  const { needsReview, running, queued } = counts;
  const tasks = (amount: number): string => (amount === 1 ? "task" : "tasks");
  if (needsReview > 0) return { count: needsReview, label: "to review" };
  if (running > 0) return { count: running, label: `${tasks(running)} running` };
  return queued > 0 ? { count: queued, label: `${tasks(queued)} queued` } : null;
}

/** The number of tasks by place, according to a board. */
export function countsOf({ columns, paused }: TaskBoard): TaskCounts {
  const total = (name: string): number => columns.find(({ column }) => column === name)?.total ?? 0;
  const needsReview = total("needs_review");
  return { queued: total("queued"), running: total("running"), needsReview, paused };
}

/** "Task #41". */
export function taskLabel(id: number): string {
  return `Task #${id}`;
}
