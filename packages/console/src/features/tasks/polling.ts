import type { Task, TaskBoard } from "../../api/types.ts";
import { isPublishing, isStopping } from "./labels.ts";

/** Between two looks, in ms: while something moves that can be seen, and else. */
export const fastIntervalMs = 2000;
export const slowIntervalMs = 10_000;

/** Whether a task may change by itself any moment. */
export function isMoving(task: Pick<Task, "status" | "run" | "approvedAt">): boolean {
  const { status } = task;
  const works = status === "queued" || status === "claimed" || status === "building";
  return works || isPublishing(task) || isStopping(task);
}

/** When the board is looked at next, in ms. */
export function boardInterval(board: TaskBoard | undefined, visible: boolean): number {
  if (!board || !visible) return slowIntervalMs;
  const moves = board.columns.some(({ items }) => items.some(isMoving));
  return moves ? fastIntervalMs : slowIntervalMs;
}

/** When one task is looked at next, in ms. */
export function taskInterval(task: Task | undefined, visible: boolean): number {
  return task && visible && isMoving(task) ? fastIntervalMs : slowIntervalMs;
}
