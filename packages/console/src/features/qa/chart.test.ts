import { expect, it } from "vitest";

import { chartOf, axisMaximum, trendText } from "./chart.ts";

const run = (id: number, error: number, warning: number) => ({
  id,
  at: "2026-11-21T10:00:00.000Z",
  counts: { error, warning, notice: 0 },
});

it("ends its scale at a round number above all values", () => {
  expect([0, 1, 2, 3, 5, 6, 10, 11, 49, 51, 1001].map(axisMaximum)).toEqual([
    1, 1, 2, 5, 5, 10, 10, 20, 50, 100, 2000,
  ]);
});

it("draws both lines over the whole width on one scale", () => {
  expect(chartOf([run(1, 0, 10), run(2, 5, 5), run(3, 10, 0)], 100, 50)).toEqual({
    top: 10,
    error: "M0 50L50 25L100 0",
    warning: "M0 0L50 25L100 50",
  });
});

it("draws one run as a level line, and a site without findings along the bottom", () => {
  expect(chartOf([run(1, 0, 0)], 100, 50)).toEqual({
    top: 1,
    error: "M0 50L100 50",
    warning: "M0 50L100 50",
  });
});

it("describes in words what it shows, once there are two runs", () => {
  expect(trendText([run(1, 3, 3)])).toBeNull();
  expect(trendText([run(1, 3, 2), run(2, 9, 9), run(3, 1, 2)])).toBe(
    "Since the first of 3 QA runs: errors from 3 to 1, warnings unchanged at 2.",
  );
});
