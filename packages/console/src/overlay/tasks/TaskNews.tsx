import type { TaskStatus } from "../../api/types.ts";
import { useBoard, useBoardAnnouncements } from "../../features/tasks/useBoard.ts";

/** Between two looks, in ms, while something else is shown. */
const aside = { moving: 10_000, resting: 10_000, hidden: false } as const;

/** What is worth telling whoever is busy with something else. */
const told: ReadonlySet<TaskStatus> = new Set(["needs_review", "failed", "reverted", "published"]);

/** Tells who listens what happens to tasks while the console is open. */
export function TaskNews(): null {
  useBoardAnnouncements(useBoard(aside).data?.board, told);
  return null;
}
