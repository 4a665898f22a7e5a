import type { BrowserFixture } from "../fixture.ts";

const request = {
  url: "http://cdn.example/a.js",
  kind: "script",
  wireBytes: 0,
  status: null,
  initiator: "script" as const,
  mixed: "active" as const,
  late: false,
};

export const cases: BrowserFixture = {
  "sec.mixed-content": {
    bad: [
      {
        visit: { requests: [request] },
        target: "http://cdn.example/a.js",
        evidence: { url: "http://cdn.example/a.js", type: "active" },
      },
      {
        visit: {
          requests: [
            {
              ...request,
              url: "http://cdn.example/a.png?1",
              kind: "image",
              initiator: "sheet",
              mixed: "passive",
            },
          ],
        },
        target: "http://cdn.example/a.png",
        evidence: { type: "passive" },
      },
    ],
    good: [
      { visit: { requests: [{ ...request, mixed: null }] } },
      { why: "told by the markup", visit: { requests: [{ ...request, initiator: "parser" }] } },
    ],
  },
};
