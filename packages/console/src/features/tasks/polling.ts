import type { Task, TaskBoard } from "../../api/types.ts";
import { isPublishing, isStopping } from "./labels.ts";

/** Polling intervals in ms: while something visible changes, and otherwise. */
export const fastIntervalMs = 2000;
export const slowIntervalMs = 10_000;

/** Whether a task may change at any moment. */
export function isMoving(task: Pick<Task, "status" | "run" | "approvedAt">): boolean {
  const { status } = task;
  const works = status === "queued" || status === "claimed" || status === "building";
  return works || isPublishing(task) || isStopping(task);
}

/** Polling intervals in ms: while it changes, while it rests, while the tab is hidden. */
export interface Pace {
  moving: number;
  resting: number;
  /** False disables polling. */
  hidden: number | false;
}

/** For a page that shows only this. */
const pagePace: Pace = { moving: fastIntervalMs, resting: slowIntervalMs, hidden: slowIntervalMs };

/** When to poll the board next, in ms; false disables polling. */
export function boardInterval(
  board: TaskBoard | undefined,
  visible: boolean,
  pace = pagePace,
): number | false {
  if (!visible) return pace.hidden;
  const moves = board?.columns.some(({ items }) => items.some(isMoving)) ?? false;
  return moves ? pace.moving : pace.resting;
}

/** When to poll a task next, in ms. */
export function taskInterval(task: Task | undefined, visible: boolean): number {
  return task && visible && isMoving(task) ? fastIntervalMs : slowIntervalMs;
}
