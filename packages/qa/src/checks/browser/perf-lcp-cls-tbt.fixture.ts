import type { BrowserFixture } from "../fixture.ts";

const paint = {
  first: 300,
  largest: { ms: 400, selector: "main > img", url: null },
  shift: 0.01,
  blockedMs: 20,
  runs: 3,
};

export const cases: BrowserFixture = {
  "perf.lcp-cls-tbt": {
    bad: [
      {
        visit: { paint: { ...paint, largest: { ...paint.largest, ms: 3120.4 } } },
        evidence: { largestMs: 3120, shift: 0.01, blockedMs: 20, element: "main > img", runs: 3 },
        message: "3.1 seconds",
      },
      { visit: { paint: { ...paint, shift: 0.31 } }, message: "0.31" },
      { visit: { paint: { ...paint, shift: 0.31, blockedMs: 900, busy: true } }, message: "0.31" },
      { visit: { paint: { ...paint, shift: 0.31, blockedMs: 900 } }, count: 2 },
    ],
    good: [
      {
        why: "the machine has too much to do",
        visit: { paint: { ...paint, largest: { ...paint.largest, ms: 9000 }, busy: true } },
      },
      { visit: { paint } },
      { why: "measured once", visit: { paint: { ...paint, shift: 0.9, runs: 1 } } },
      { visit: { paint: { ...paint, shift: 0.1, blockedMs: 600 } } },
    ],
  },
};
