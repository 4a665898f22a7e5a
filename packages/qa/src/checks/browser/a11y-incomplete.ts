import type { BrowserCheck } from "../../check.ts";
import { evidenceOf } from "./a11y-axe.ts";

/**
 * Reports what the engines are not sure of: only a person can decide. The same question about several
 * places, on this page or others, is asked once.
 */
export const a11yIncomplete: BrowserCheck = {
  id: "a11y.incomplete",
  category: "accessibility",
  severity: "notice",
  *run({ a11y }) {
    for (const issue of a11y.issues) {
      // An uncertain best practice isn't worth anyone's time.
      if (issue.confidence !== "review" || issue.wcag.length === 0) continue;
      const { rule, message, selector, text } = issue;
      yield {
        at: `${rule} ${message}`,
        shared: true,
        message: `Needs review: ${message}`,
        confidence: "review",
        evidence: { ...evidenceOf(issue), reason: message },
        location: { selector, text },
      };
    }
  },
};
