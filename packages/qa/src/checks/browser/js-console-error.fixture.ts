import type { BrowserFixture } from "../fixture.ts";

const entry = {
  kind: "exception" as const,
  text: "TypeError: can't read 17 of https://example.com/a?b=1",
  url: "https://example.com/a.js",
  line: 3,
  stack: null,
};
const failed = {
  url: "https://cdn.example/lib.js",
  status: null,
  error: "net::ERR_FAILED",
  kind: "script",
  initiator: "parser" as const,
  blocked: null,
  refused: false,
};

export const cases: BrowserFixture = {
  "js.console-error": {
    bad: [
      {
        why: "numbers and addresses are no difference",
        visit: {
          console: [
            entry,
            { ...entry, text: entry.text.replace("17", "18").replace("b=1", "b=2") },
          ],
        },
        evidence: {
          message: "TypeError: can't read 17 of https://example.com/a?b=1",
          stack: null,
          url: "/a.js:3",
          fingerprint: "TypeError: can't read # of …",
        },
        severity: "error",
      },
      {
        why: "another's script",
        visit: { console: [{ ...entry, url: "https://cdn.example/x.js" }] },
        severity: "notice",
      },
      {
        why: "another's script is missing",
        visit: { console: [entry], failedRequests: [failed] },
        severity: "notice",
      },
    ],
    good: [
      {
        why: "there is no graphics card here",
        visit: { console: [{ ...entry, text: "Error creating WebGL context." }] },
      },
    ],
  },
};
