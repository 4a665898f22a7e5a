import { locationOf } from "../../browser/format.ts";
import type { BrowserCheck } from "../../check.ts";
import { tooWideAt320 } from "./a11y-reflow-320.ts";

/**
 * Reports a page that scrolls sideways on a phone. A page that is too wide at 320 pixels as well is
 * left to that check: it is the same defect.
 */
export const respOverflow375: BrowserCheck = {
  id: "resp.overflow-375",
  category: "responsive",
  severity: "error",
  byComponent: true,
  *run(visit) {
    const narrow = visit.narrow.find(({ width }) => width === 375);
    const worst = narrow?.offenders[0];
    if (!narrow || !worst) return;
    if (!worst.wide && tooWideAt320(visit)) return;
    const { scrollWidth, clientWidth, screenshot } = narrow;
    yield {
      ...locationOf(worst),
      message: `On a ${clientWidth}-pixel phone, the page is ${scrollWidth} pixels wide, so something sticks out.`,
      evidence: { scrollWidth, clientWidth, offender: worst.selector, screenshot },
    };
  },
};
