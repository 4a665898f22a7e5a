import type { Task, TaskBoard, TaskStatus } from "../../api/types.ts";
import { announcementOf, titleOf } from "./labels.ts";

/** Up to this many are announced one by one; more only by their number. */
const maxListed = 3;

function tasksOf(board: TaskBoard): Task[] {
  return board.columns.flatMap(({ items }) => items);
}

/** All states except those that pass too quickly to announce. */
const lasting: ReadonlySet<TaskStatus> = new Set([
  "queued",
  "building",
  "needs_review",
  "published",
  "reverted",
  "failed",
  "cancelled",
]);

/**
 * What has happened to tasks between two polls, as an announcement; null if nothing relevant has.
 * `told` are the announced states.
 */
export function describeBoardChanges(
  before: TaskBoard,
  after: TaskBoard,
  reported = lasting,
): string | null {
  const known = new Map(tasksOf(before).map((task) => [task.id, task.status]));
  const moved = tasksOf(after).filter((task) => {
    const status = known.get(task.id);
    return status !== undefined && status !== task.status && reported.has(task.status);
  });
  if (moved.length === 0) return null;
  if (moved.length > maxListed) return `${moved.length} tasks moved.`;
  return moved.map((task) => `“${titleOf(task)}” ${announcementOf(task)}.`).join(" ");
}
