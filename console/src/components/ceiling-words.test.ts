import { expect, test } from "vitest";

import { ceilingWords } from "./ceiling-words.ts";

test("a ceiling that was reached is told with its figures", () => {
  const spent = { tokens: 812_000, cost: 5.12 };
  expect(ceilingWords({ limit: "day", spent, ceiling: { tokens: null, cost: 5 } })).toBe(
    "Today: 5.12 of 5.00 spent.",
  );
  expect(ceilingWords({ limit: "month", spent, ceiling: { tokens: 800_000, cost: null } })).toBe(
    "This month: 812,000 of 800,000 tokens.",
  );
});

test("details of another kind say nothing", () => {
  expect(ceilingWords(null)).toBeNull();
  expect(ceilingWords({ files: ["a"] })).toBeNull();
  expect(ceilingWords({ limit: "steps" })).toBeNull();
  expect(ceilingWords({ limit: "day", spent: "much", ceiling: 5 })).toBeNull();
});
