import type { BrowserFixture } from "../fixture.ts";

const failed = {
  url: "https://example.com/api/list?at=17",
  status: 500,
  error: null,
  kind: "fetch",
  initiator: "script" as const,
  blocked: null,
  refused: false,
};

export const cases: BrowserFixture = {
  "js.request-failed": {
    bad: [
      {
        visit: {
          failedRequests: [failed, { ...failed, url: "https://example.com/api/list?at=18" }],
        },
        target: "/api/list",
        severity: "error",
        evidence: { url: "/api/list?at=17", status: 500, error: null, initiator: "script" },
      },
      {
        why: "another's",
        visit: { failedRequests: [{ ...failed, url: "https://api.example/x", status: 404 }] },
        severity: "notice",
      },
      {
        why: "the browser refuses a font",
        visit: {
          failedRequests: [
            {
              ...failed,
              status: null,
              error: "net::ERR_FAILED",
              kind: "font",
              initiator: "parser",
              blocked: "cors",
            },
          ],
        },
      },
    ],
    good: [
      { why: "not signed in", visit: { failedRequests: [{ ...failed, status: 401 }] } },
      {
        why: "told by img.broken",
        visit: { failedRequests: [{ ...failed, status: 404, kind: "image", initiator: "parser" }] },
      },
      {
        why: "not let out by us",
        visit: {
          failedRequests: [{ ...failed, status: null, error: "net::ERR_X", refused: true }],
        },
      },
      {
        why: "the line from here",
        visit: {
          failedRequests: [
            { ...failed, url: "https://api.example/x", status: null, error: "net::ERR_X" },
          ],
        },
      },
      {
        why: "given up by the page",
        visit: { failedRequests: [{ ...failed, status: null, error: "net::ERR_ABORTED" }] },
      },
      { why: "statistics", visit: { failedRequests: [{ ...failed, kind: "ping" }] } },
      {
        why: "told by js.csp-violation",
        visit: {
          failedRequests: [{ ...failed, status: null, blocked: "csp", initiator: "parser" }],
        },
      },
    ],
  },
};
