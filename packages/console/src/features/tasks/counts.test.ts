import { expect, test } from "vitest";

import { countsOf, summarizeCounts } from "./counts.ts";

const counts = (needsReview: number, running: number, queued: number) => ({
  needsReview,
  running,
  queued,
  paused: false,
});

test("tells first what needs the owner, then what is under way, then what waits", () => {
  expect(summarizeCounts(counts(2, 1, 5))).toEqual({ amount: 2, words: "to review" });
  expect(summarizeCounts(counts(0, 1, 5))).toEqual({ amount: 1, words: "task running" });
  expect(summarizeCounts(counts(0, 0, 5))).toEqual({ amount: 5, words: "tasks queued" });
  expect(summarizeCounts(counts(0, 0, 0))).toBeNull();
  expect(summarizeCounts(null)).toBeNull();
});

test("a board says how many there are in all, not how many it shows", () => {
  const columns = [
    { column: "queued", total: 70, items: [] },
    { column: "needs_review", total: 2, items: [] },
  ] as const;
  const board = { columns: [...columns], paused: true, runners: 0, now: "" };
  expect(countsOf(board as never)).toEqual({ ...counts(2, 0, 70), paused: true });
});
