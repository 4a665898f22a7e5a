import type { QaFinding } from "../../api/types.ts";

let last = 0;

/** An open finding of a broken link on the home page, with overrides. */
export function makeFinding(part: Partial<QaFinding> = {}): QaFinding {
  last += 1;
  return {
    id: last,
    fingerprint: `f${last}`,
    check: "link.internal-broken",
    title: "Broken links",
    category: "links",
    scope: "site",
    severity: "error",
    critical: false,
    confidence: "confirmed",
    engine: "",
    pageUrl: "/",
    target: null,
    message: "The link leads nowhere.",
    evidence: {},
    occurrences: [],
    occurrenceCount: 1,
    pageCount: 1,
    isSafe: false,
    source: null,
    fix: { kind: "model", refusal: null },
    isAssessed: true,
    isAutoFixable: false,
    status: "open",
    instruction: null,
    task: null,
    note: null,
    ignored: null,
    firstSeenAt: "",
    lastSeenAt: "",
    fixedAt: null,
    seenCount: 1,
    firstRunId: 1,
    lastRunId: 1,
    ...part,
  };
}
