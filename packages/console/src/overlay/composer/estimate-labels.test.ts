import { expect, test } from "vitest";

import type { Estimate } from "../../api/types.ts";
import { formatMoney } from "../../features/runs/labels.ts";
import { formatEstimate } from "./estimate-labels.ts";

const none = { tokens: null, cost: null };
const period = (spent: number, ceiling: number | null) => ({
  spent: { tokens: spent, cost: null },
  ceiling: { tokens: ceiling, cost: null },
});
const estimate = (more: Partial<Estimate> = {}): Estimate => ({
  model: "a model",
  currency: "EUR",
  runs: 8,
  tokens: { typical: 11_873, high: 30_000 },
  cost: { typical: 0.0412, high: 0.1 },
  seconds: { typical: 20.4, high: 60 },
  run: none,
  day: period(0, null),
  month: period(0, null),
  ...more,
});

test("an estimate is approximate, and says how many runs it is based on", () => {
  expect(formatEstimate(estimate())).toEqual({
    text: "About 12,000 tokens, cost €0.04, 20 s (8 runs)",
    warning: null,
    blocked: false,
  });
});

test("without a history there is no estimate; a free model shows no cost", () => {
  const nothing = { tokens: null, cost: null, seconds: null };
  expect(formatEstimate(estimate({ runs: 1, ...nothing })).text).toBe("No estimate yet");
  const free = { tokens: { typical: 0, high: 0 }, cost: { typical: 0, high: 0 } };
  expect(formatEstimate(estimate(free)).text).toBe("About 20 s (8 runs)");
});

test("names the limit that a run would exceed, and leaves the decision to the owner", () => {
  expect(formatEstimate(estimate({ month: period(90_000, 100_000) }))).toMatchObject({
    warning: "This may exceed what’s left this month: 10,000 tokens.",
    blocked: false,
  });
});

test("a reached limit blocks the run, also without a history", () => {
  const line = formatEstimate(estimate({ tokens: null, runs: 0, day: period(500, 500) }));
  expect(line.blocked).toBe(true);
  expect(line.warning).toBe(
    "Today’s limit of 500 tokens is reached. Runs can start again tomorrow.",
  );
});

test("an amount is shown in its currency, if it is known", () => {
  expect([formatMoney(0.04, "EUR"), formatMoney(0.04, "SEK"), formatMoney(0.04, null)]).toEqual([
    "€0.04",
    "0.04 SEK",
    "0.04",
  ]);
  const spent = { tokens: 0, cost: 4 };
  const day = { spent, ceiling: { tokens: null, cost: 3 } };
  expect(formatEstimate(estimate({ currency: "SEK", day })).warning).toBe(
    "Today’s limit of a cost of 3.00 SEK is reached. Runs can start again tomorrow.",
  );
});

test("small amounts keep their significant digits", () => {
  expect([formatMoney(0), formatMoney(0.0021), formatMoney(0.5), formatMoney(12)]).toEqual([
    "0.00",
    "0.0021",
    "0.50",
    "12.00",
  ]);
});
