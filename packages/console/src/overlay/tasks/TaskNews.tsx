import type { TaskStatus } from "../../api/types.ts";
import { useBoard, useBoardAnnouncements } from "../../features/tasks/useBoard.ts";

/** Polling intervals while something else is shown, in ms. */
const aside = { moving: 10_000, resting: 10_000, hidden: false } as const;

/** States worth announcing to somebody who is busy with something else. */
const reported: ReadonlySet<TaskStatus> = new Set([
  "needs_review",
  "failed",
  "reverted",
  "published",
]);

/** Announces what happens to tasks while the console is open. */
export function TaskNews(): null {
  useBoardAnnouncements(useBoard(aside).data?.board, reported);
  return null;
}
