import { formatBytes } from "../../browser/format.ts";
import type { BrowserCheck } from "../../check.ts";

/**
 * In bytes, for what a page loads before anyone scrolls; half of all pages weigh less (HTTP
 * Archive, 2025).
 */
const budget = 3_000_000;

/** Reports a page that loads a lot before it is used. */
export const perfPageWeight: BrowserCheck = {
  id: "perf.page-weight",
  category: "performance",
  severity: "warning",
  *run(visit) {
    const first = visit.requests.filter(({ late }) => !late);
    const bytes: Record<string, number> = {};
    let total = 0;
    for (const { kind, wireBytes } of first) {
      bytes[kind] = (bytes[kind] ?? 0) + wireBytes;
      total += wireBytes;
    }
    if (total <= budget) return;
    const [heaviest = ["", 0]] = Object.entries(bytes).toSorted((a, b) => b[1] - a[1]);
    yield {
      at: "weight",
      message: `The page loads ${formatBytes(total)}, of which ${formatBytes(heaviest[1])} is ${heaviest[0]}. Aim for less than ${formatBytes(budget)}.`,
      evidence: { bytes: { ...bytes, total }, requests: first.length, budget },
    };
  },
};
