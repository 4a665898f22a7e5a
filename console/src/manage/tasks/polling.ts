import type { Task, TaskBoard } from "../types.ts";
import { isPublishing, isStopping } from "./words.ts";

/** Between two looks, in ms: while something moves that can be seen, and else. */
export const soon = 2000;
export const seldom = 10_000;

/** Whether a task may change by itself any moment. */
export function isMoving(task: Pick<Task, "status" | "run" | "approvedAt">): boolean {
  const { status } = task;
  const works = status === "queued" || status === "claimed" || status === "building";
  return works || isPublishing(task) || isStopping(task);
}

/** When the board is looked at next, in ms. */
export function boardEvery(board: TaskBoard | undefined, visible: boolean): number {
  if (!board || !visible) return seldom;
  const moves = board.columns.some(({ items }) => items.some(isMoving));
  return moves ? soon : seldom;
}

/** When one task is looked at next, in ms. */
export function taskEvery(task: Task | undefined, visible: boolean): number {
  return task && visible && isMoving(task) ? soon : seldom;
}
