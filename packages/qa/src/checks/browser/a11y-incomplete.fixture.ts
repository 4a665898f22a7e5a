import type { A11yIssue, A11yResult } from "../../browser/visit.ts";
import type { BrowserFixture } from "../fixture.ts";

export const uncertainIssue: A11yIssue = {
  rule: "video-caption",
  act: ["eac66b"],
  engines: ["axe"],
  confidence: "review",
  impact: "critical",
  wcag: ["1.2.2"],
  message: "Videos must have captions.",
  helpUrl: null,
  selector: "main > video",
  locator: "body main video",
  html: '<video src="/a.mp4"></video>',
  text: "",
};
export const visitWith = (...issues: A11yIssue[]): { a11y: A11yResult } => ({
  a11y: { environment: "chromium", engines: [], notChecked: [], issues },
});

export const cases: BrowserFixture = {
  "a11y.incomplete": {
    bad: [
      {
        visit: visitWith(uncertainIssue),
        severity: "notice",
        evidence: { rule: "video-caption", reason: "Videos must have captions." },
      },
    ],
    good: [
      { why: "all are sure", visit: visitWith({ ...uncertainIssue, confidence: "confirmed" }) },
      { why: "a best practice", visit: visitWith({ ...uncertainIssue, wcag: [] }) },
    ],
  },
};
