import { plainText } from "../plain-text.ts";
import type { BoardColumn, Task, TaskBoard, TaskStatus } from "../types.ts";
import { taskName } from "./counts.ts";

/** The longest piece of a title that is told, in characters. */
const longestTitle = 80;

export interface Section {
  column: BoardColumn;
  title: string;
  items: readonly Task[];
  /** How many there are in all. */
  total: number;
}

/** What needs the owner first; of what is over only the last few. */
const sections: readonly { column: BoardColumn; title: string; most: number }[] = [
  { column: "needs_review", title: "Needs review", most: 50 },
  { column: "running", title: "Running", most: 50 },
  { column: "queued", title: "Queued", most: 50 },
  { column: "published", title: "Published", most: 3 },
  { column: "ended", title: "Reverted or failed", most: 5 },
];

/** The sections of the list that have something in them. */
export function sectionsOf(board: TaskBoard): Section[] {
  return sections.flatMap(({ column, title, most }) => {
    const found = board.columns.find((one) => one.column === column);
    if (!found || found.items.length === 0) return [];
    return [{ column, title, items: found.items.slice(0, most), total: found.total }];
  });
}

/** The task with this id, where the board shows it. */
export function taskIn(board: TaskBoard | null, id: number): Task | null {
  const all = board?.columns.flatMap(({ items }) => items) ?? [];
  return all.find((task) => task.id === id) ?? null;
}

const told: Readonly<Partial<Record<TaskStatus, string>>> = {
  needs_review: "needs review",
  failed: "has failed",
  reverted: "was reverted",
  published: "is published",
};

/** What happened between two boards that is worth telling, a sentence for each task. */
export function newsOf(before: TaskBoard | null, after: TaskBoard): string[] {
  if (before === null) return [];
  const known = new Map(
    before.columns.flatMap(({ items }) => items).map((task) => [task.id, task.status]),
  );
  return after.columns
    .flatMap(({ items }) => items)
    .flatMap(({ id, status, title }) => {
      const words = told[status];
      if (words === undefined || !known.has(id) || known.get(id) === status) return [];
      return [`${taskName(id)} ${words}: ${plainText(title).slice(0, longestTitle)}`];
    });
}
