import { uniqueByLocator, locationOf } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/**
 * Reports links and buttons that are smaller than 24 by 24 pixels and too close to others (WCAG
 * 2.2, 2.5.8).
 */
export const a11yTargetSize: BrowserCheck = {
  id: "a11y.target-size",
  category: "accessibility",
  severity: "warning",
  byComponent: true,
  *run(visit) {
    for (const target of uniqueByLocator(visit.smallTargets)) {
      const { width, height, selector, text } = target;
      const name = text === "" ? "This" : quote(text);
      yield {
        ...locationOf(target, text),
        message: `${name} is only ${width} × ${height} pixels and close to other targets, so it’s easy to miss. Make it at least 24 × 24.`,
        evidence: { w: width, h: height, selector },
      };
    }
  },
};
