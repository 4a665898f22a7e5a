import type { Visit } from "../../packages/qa/src/browser/visit.ts";

/** A page as a browser showed it, without anything that is wrong but for what is given. */
export function visitOf(visit: Partial<Visit>): Visit {
  return {
    page: "/t/",
    url: "https://example.com/t/",
    status: 200,
    a11y: { environment: "chromium", engines: [], issues: [], notChecked: [] },
    console: [],
    failedRequests: [],
    violations: [],
    requests: [],
    paint: { first: null, largest: null, shift: 0, blockedMs: 0, runs: 1 },
    renderBlocking: [],
    narrow: [],
    rendered: null,
    images: [],
    smallTargets: [],
    focus: { sequence: [], stuck: null, unseen: [] },
    notChecked: [],
    ...visit,
  };
}
