import { expect, test } from "vitest";

import { countsOf, tellCounts } from "./counts.ts";

const counts = (needsReview: number, running: number, queued: number) => ({
  needsReview,
  running,
  queued,
  paused: false,
});

test("tells first what needs the owner, then what is under way, then what waits", () => {
  expect(tellCounts(counts(2, 1, 5))).toEqual({ amount: 2, words: "to review" });
  expect(tellCounts(counts(0, 1, 5))).toEqual({ amount: 1, words: "task running" });
  expect(tellCounts(counts(0, 0, 5))).toEqual({ amount: 5, words: "tasks queued" });
  expect(tellCounts(counts(0, 0, 0))).toBeNull();
  expect(tellCounts(null)).toBeNull();
});

test("a board says how many there are in all, not how many it shows", () => {
  const columns = [
    { column: "queued", total: 70, items: [] },
    { column: "needs_review", total: 2, items: [] },
  ] as const;
  const board = { columns: [...columns], paused: true, runners: 0, now: "" };
  expect(countsOf(board as never)).toEqual({ ...counts(2, 0, 70), paused: true });
});
