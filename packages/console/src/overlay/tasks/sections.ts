import type { BoardColumn, Task, TaskBoard, TaskStatus } from "../../api/types.ts";
import { columns, statusAnnouncements } from "../../features/tasks/labels.ts";
import { plainText } from "../../ui/plain-text.ts";
import { taskLabel } from "./counts.ts";

/** The longest piece of a title that is told, in characters. */
const maxTitleLength = 80;

export interface Section {
  column: BoardColumn;
  title: string;
  items: readonly Task[];
  /** How many there are in all. */
  total: number;
}

/** What needs the owner first; of what is over only the last few. */
const sections: readonly { column: BoardColumn; most: number }[] = [
  { column: "needs_review", most: 50 },
  { column: "running", most: 50 },
  { column: "queued", most: 50 },
  { column: "published", most: 3 },
  { column: "ended", most: 5 },
];

/** The sections of the list that have something in them. */
export function sectionsOf(board: TaskBoard): Section[] {
  return sections.flatMap(({ column, most: max }) => {
    const found = board.columns.find((one) => one.column === column);
    if (!found || found.items.length === 0) return [];
    const title = columns.find((one) => one.column === column)?.label ?? "";
    return [{ column, title, items: found.items.slice(0, max), total: found.total }];
  });
}

/** The task with this id, where the board shows it. */
export function taskIn(board: TaskBoard | null, id: number): Task | null {
  const all = board?.columns.flatMap(({ items }) => items) ?? [];
  return all.find((task) => task.id === id) ?? null;
}

/** What is worth telling whoever is busy with something else. */
const announced: ReadonlySet<TaskStatus> = new Set([
  "needs_review",
  "failed",
  "reverted",
  "published",
]);

/** What happened between two boards that is worth telling, a sentence for each task. */
export function boardAnnouncement(before: TaskBoard | null, after: TaskBoard): string[] {
  if (before === null) return [];
  const known = new Map(
    before.columns.flatMap(({ items }) => items).map((task) => [task.id, task.status]),
  );
  return after.columns
    .flatMap(({ items }) => items)
    .flatMap(({ id, status, title }) => {
      if (!announced.has(status) || !known.has(id) || known.get(id) === status) return [];
      return [
        `${taskLabel(id)} ${statusAnnouncements[status]}: ${plainText(title).slice(0, maxTitleLength)}`,
      ];
    });
}
