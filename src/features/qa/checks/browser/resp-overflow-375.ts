import { seenAt } from "../../browser/told.ts";
import type { BrowserCheck } from "../../check.ts";

/** A page that is wider than a telephone and can be pushed sideways. */
export const respOverflow375: BrowserCheck = {
  id: "resp.overflow-375",
  category: "responsive",
  severity: "error",
  *look(visit) {
    const narrow = visit.narrow.find(({ width }) => width === 375);
    const worst = narrow?.offenders[0];
    if (!narrow || !worst) return;
    const { scrollWidth, clientWidth, screenshot } = narrow;
    yield {
      ...seenAt(worst),
      message: `On a telephone of ${clientWidth} pixels the page is ${scrollWidth} pixels wide: something sticks out.`,
      evidence: { scrollWidth, clientWidth, offender: worst.selector, screenshot },
    };
  },
};
