import { seenAt } from "../../browser/told.ts";
import type { BrowserCheck } from "../../check.ts";

/**
 * A page that has to be scrolled sideways at 320 pixels (WCAG 2.2, 1.4.10). Tables, code and maps may
 * need two dimensions.
 */
export const a11yReflow320: BrowserCheck = {
  id: "a11y.reflow-320",
  category: "responsive",
  severity: "error",
  *look(visit) {
    const narrow = visit.narrow.find(({ width }) => width === 320);
    const worst = narrow?.offenders.find(({ wide }) => !wide);
    if (!narrow || !worst) return;
    const { scrollWidth, clientWidth, screenshot } = narrow;
    yield {
      ...seenAt(worst),
      message: `At ${clientWidth} pixels, as when enlarged to 400 %, the page is ${scrollWidth} pixels wide: every line has to be scrolled sideways.`,
      evidence: { scrollWidth, clientWidth, offender: worst.selector, screenshot },
    };
  },
};
