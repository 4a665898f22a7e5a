import type { BrowserFixture } from "../fixture.ts";

const request = {
  url: "https://example.com/p.jpg",
  kind: "image",
  wireBytes: 2_000_000,
  status: 200,
  initiator: "parser" as const,
  mixed: null,
  late: false,
};

export const cases: BrowserFixture = {
  "perf.page-weight": {
    bad: [
      {
        visit: { requests: [request, { ...request, kind: "script" }] },
        evidence: {
          bytes: { image: 2_000_000, script: 2_000_000, total: 4_000_000 },
          requests: 2,
          budget: 3_000_000,
        },
      },
    ],
    good: [
      { visit: { requests: [request] } },
      { why: "comes as one scrolls", visit: { requests: [request, { ...request, late: true }] } },
    ],
  },
};
