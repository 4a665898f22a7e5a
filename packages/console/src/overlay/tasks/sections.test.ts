import { expect, test } from "vitest";

import type { BoardColumn, Task, TaskBoard, TaskStatus } from "../../api/types.ts";
import { boardAnnouncement, sectionsOf, taskIn } from "./sections.ts";

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

test("what needs the owner comes first, and of what is over only the last few", () => {
  const published = { 1: "published", 2: "published", 3: "published", 4: "published" } as const;
  const sections = sectionsOf(boardOf({ ...published, 7: "queued", 8: "needs_review" }));
  expect(sections.map(({ title }) => title)).toEqual(["Needs review", "Queued", "Published"]);
  expect(sections[2]).toMatchObject({ total: 44 });
  expect(sections[2]?.items.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(sectionsOf(boardOf({}))).toEqual([]);
});

test("tells what came to an end or to the owner since the board before", () => {
  const before = boardOf({ 1: "building", 2: "claimed", 3: "building", 4: "queued", 5: "failed" });
  const after = boardOf({
    1: "needs_review",
    2: "failed",
    3: "published",
    4: "claimed",
    5: "failed",
  });
  expect(boardAnnouncement(before, after)).toEqual([
    "Task #1 needs review: Do 1",
    "Task #3 is published: Do 3",
    "Task #2 has failed: Do 2",
  ]);
});

test("tells nothing of a first board, nor of a task that it hadn't shown before", () => {
  const board = boardOf({ 1: "needs_review" });
  expect(boardAnnouncement(null, board)).toEqual([]);
  expect(boardAnnouncement(boardOf({}), board)).toEqual([]);
});

test("finds a task wherever the board shows it", () => {
  const board = boardOf({ 1: "queued", 2: "cancelled" });
  expect(taskIn(board, 2)?.status).toBe("cancelled");
  expect(taskIn(board, 3)).toBeNull();
  expect(taskIn(null, 1)).toBeNull();
});
