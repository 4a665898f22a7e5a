import type { BrowserFixture } from "../fixture.ts";

export const cases: BrowserFixture = {
  "perf.render-blocking": {
    bad: [
      {
        visit: { renderBlocking: [{ url: "https://example.com/a.js", ms: 12, kind: "script" }] },
        target: "/a.js",
        evidence: { urls: ["/a.js"], ms: 12 },
      },
      {
        visit: {
          renderBlocking: [{ url: "https://fonts.example/f.css", ms: 80, kind: "style" }],
        },
        target: "https://fonts.example/f.css",
      },
    ],
    good: [
      {
        why: "its own style sheet",
        visit: { renderBlocking: [{ url: "https://example.com/a.css", ms: 12, kind: "style" }] },
      },
    ],
  },
};
