import type { A11yIssue, A11yResult } from "../../browser/visit.ts";
import type { BrowserFixture } from "../fixture.ts";

const faint: A11yIssue = {
  rule: "color-contrast",
  act: ["afw4f7"],
  engines: ["axe"],
  confidence: "confirmed",
  impact: "serious",
  wcag: ["1.4.3"],
  message: "Elements must meet minimum color contrast ratio thresholds.",
  helpUrl: null,
  selector: "main > p",
  locator: "body main p",
  html: "<p>Faint</p>",
  text: "Faint",
  contrast: { front: "#999999", back: "#ffffff", ratio: 2.84, needed: 4.5 },
};
const found = (...issues: A11yIssue[]): { a11y: A11yResult } => ({
  a11y: { environment: "chromium", engines: [], notChecked: [], issues },
});
const { contrast: _contrast, ...unmeasured } = faint;

export const cases: BrowserFixture = {
  "a11y.contrast": {
    bad: [
      {
        visit: found(faint),
        evidence: { fg: "#999999", bg: "#ffffff", ratio: 2.84, required: 4.5 },
        message: "2.84:1",
      },
    ],
    good: [
      { why: "nobody is sure", visit: found({ ...faint, confidence: "review" }) },
      { why: "nothing was measured", visit: found(unmeasured) },
      { why: "AAA is another matter", visit: found({ ...faint, rule: "color-contrast-enhanced" }) },
    ],
  },
};
