import { expect, test } from "vitest";

import { countsOf, summarizeCounts } from "./counts.ts";

const counts = (needsReview: number, running: number, queued: number) => ({
  needsReview,
  running,
  queued,
  paused: false,
});

test("shows first what needs the owner, then what is running, then what waits", () => {
  expect(summarizeCounts(counts(2, 1, 5))).toEqual({ count: 2, label: "to review" });
  expect(summarizeCounts(counts(0, 1, 5))).toEqual({ count: 1, label: "task running" });
  expect(summarizeCounts(counts(0, 0, 5))).toEqual({ count: 5, label: "tasks queued" });
  expect(summarizeCounts(counts(0, 0, 0))).toBeNull();
  expect(summarizeCounts(null)).toBeNull();
});

test("a board shows the total number, not how many it displays", () => {
  const columns = [
    { column: "queued", total: 70, items: [] },
    { column: "needs_review", total: 2, items: [] },
  ] as const;
  const board = { columns: [...columns], paused: true, runners: 0, now: "" };
  expect(countsOf(board as never)).toEqual({ ...counts(2, 0, 70), paused: true });
});
