import { expect, test } from "vitest";

import { spendingLimitLabel } from "./spending-limit-labels.ts";

test("a reached limit is shown with its amounts", () => {
  const spent = { tokens: 812_000, cost: 5.12 };
  expect(spendingLimitLabel({ limit: "day", spent, ceiling: { tokens: null, cost: 5 } })).toBe(
    "Today: 5.12 of 5.00 spent.",
  );
  expect(
    spendingLimitLabel({ limit: "month", spent, ceiling: { tokens: 800_000, cost: null } }),
  ).toBe("This month: 812,000 of 800,000 tokens.");
});

test("other details show nothing", () => {
  expect(spendingLimitLabel(null)).toBeNull();
  expect(spendingLimitLabel({ files: ["a"] })).toBeNull();
  expect(spendingLimitLabel({ limit: "steps" })).toBeNull();
  expect(spendingLimitLabel({ limit: "day", spent: "much", ceiling: 5 })).toBeNull();
});
