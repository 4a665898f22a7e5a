import type { BoardColumn, Task, TaskBoard } from "../../api/types.ts";
import { columns } from "../../features/tasks/labels.ts";

export interface Section {
  column: BoardColumn;
  title: string;
  items: readonly Task[];
  /** The total number. */
  total: number;
}

/** What needs the owner first; of finished tasks only the last few. */
const sections: readonly { column: BoardColumn; max: number }[] = [
  { column: "needs_review", max: 50 },
  { column: "running", max: 50 },
  { column: "queued", max: 50 },
  { column: "published", max: 3 },
  { column: "ended", max: 5 },
];

/** The non-empty sections of the list. */
export function sectionsOf(board: TaskBoard): Section[] {
  return sections.flatMap(({ column, max }) => {
    const found = board.columns.find((one) => one.column === column);
    if (!found || found.items.length === 0) return [];
    const title = columns.find((one) => one.column === column)?.label ?? "";
    return [{ column, title, items: found.items.slice(0, max), total: found.total }];
  });
}
