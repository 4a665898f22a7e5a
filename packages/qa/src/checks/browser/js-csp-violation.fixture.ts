import type { BrowserFixture } from "../fixture.ts";

export const cases: BrowserFixture = {
  "js.csp-violation": {
    bad: [
      {
        visit: {
          violations: [
            { directive: "script-src-elem", blocked: "https://cdn.example/a.js?v=1" },
            { directive: "script-src-elem", blocked: "https://cdn.example/a.js?v=2" },
          ],
        },
        target: "https://cdn.example/a.js",
        evidence: { directive: "script-src-elem", blocked: "https://cdn.example/a.js" },
      },
      {
        visit: { violations: [{ directive: "script-src-attr", blocked: "inline" }] },
        message: "inline code",
      },
    ],
    good: [{ visit: { violations: [] } }],
  },
};
