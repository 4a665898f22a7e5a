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

/** How often something is looked at, in ms: while it moves, while it rests, while the tab is hidden. */
export interface Pace {
  moving: number;
  resting: number;
  /** False for not at all. */
  hidden: number | false;
}

/** That of a page which shows nothing else. */
const pagePace: Pace = { moving: fastIntervalMs, resting: slowIntervalMs, hidden: slowIntervalMs };

/** When the board is looked at next, in ms; false for not by itself. */
export function boardInterval(
  board: TaskBoard | undefined,
  visible: boolean,
  pace = pagePace,
): number | false {
  if (!visible) return pace.hidden;
  const moves = board?.columns.some(({ items }) => items.some(isMoving)) ?? false;
  return moves ? pace.moving : pace.resting;
}

/** When one task is looked at next, in ms. */
export function taskInterval(task: Task | undefined, visible: boolean): number {
  return task && visible && isMoving(task) ? fastIntervalMs : slowIntervalMs;
}
