import { type BrowserCheck, quote } from "../../check.ts";

/** Reports text with too little contrast as the browser renders it (WCAG 2.2, 1.4.3). */
export const a11yContrastRendered: BrowserCheck = {
  id: "a11y.contrast",
  category: "accessibility",
  severity: "error",
  *run({ a11y }) {
    for (const { rule, confidence, contrast, locator, selector, text, act } of a11y.issues) {
      if (rule !== "color-contrast" || confidence === "review" || !contrast) continue;
      const { front, back, ratio, needed } = contrast;
      yield {
        // The same name as in the markup check, so that the same defect is the same finding.
        at: `${front} on ${back}`,
        formerAt: locator,
        shared: true,
        cause: `${front} on ${back}`,
        message: `The text ${quote(text)} has a contrast of ${ratio}:1 (${front} on ${back}); it needs ${needed}:1.`,
        evidence: { fg: front, bg: back, ratio, required: needed, selector, act: [...act] },
        location: { selector, text },
        confidence,
      };
    }
  },
};
