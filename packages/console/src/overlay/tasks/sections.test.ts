import { expect, test } from "vitest";

import type { BoardColumn, Task, TaskBoard, TaskStatus } from "../../api/types.ts";
import { sectionsOf } from "./sections.ts";

const columnOf: Readonly<Record<TaskStatus, BoardColumn>> = {
  queued: "queued",
  claimed: "running",
  building: "running",
  needs_review: "needs_review",
  published: "published",
  reverted: "ended",
  failed: "ended",
  cancelled: "ended",
};
const order: BoardColumn[] = ["queued", "running", "needs_review", "published", "ended"];

/** A board with these tasks, by id. */
function boardOf(tasks: Record<number, TaskStatus>): TaskBoard {
  const all = Object.entries(tasks).map(
    ([id, status]) => ({ id: Number(id), status, title: `Do ${id}` }) as Task,
  );
  const columns = order.map((column) => {
    const items = all.filter(({ status }) => columnOf[status] === column);
    return { column, total: items.length + (column === "published" ? 40 : 0), items };
  });
  return { columns, paused: false, runners: 1, now: "2026-11-21T12:00:00.000Z" };
}

test("what needs the owner comes first, and finished tasks are limited to the last few", () => {
  const published = { 1: "published", 2: "published", 3: "published", 4: "published" } as const;
  const sections = sectionsOf(boardOf({ ...published, 7: "queued", 8: "needs_review" }));
  expect(sections.map(({ title }) => title)).toEqual(["Needs review", "Queued", "Published"]);
  expect(sections[2]).toMatchObject({ total: 44 });
  expect(sections[2]?.items.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(sectionsOf(boardOf({}))).toEqual([]);
});
