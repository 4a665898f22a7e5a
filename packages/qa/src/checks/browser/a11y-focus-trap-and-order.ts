import { uniqueByLocator, locationOf } from "../../browser/format.ts";
import type { BrowserCheck } from "../../check.ts";

/**
 * Reports places where the keyboard gets stuck (WCAG 2.2, 2.1.2), and links and buttons that take
 * the focus invisibly (2.4.7).
 */
export const a11yFocusTrapAndOrder: BrowserCheck = {
  id: "a11y.focus-trap-and-order",
  category: "accessibility",
  severity: "warning",
  *run({ focus }) {
    const sequence = focus.sequence.slice(0, 30);
    if (focus.stuck) {
      yield {
        ...locationOf(focus.stuck),
        message: "The Tab key doesn’t move on from here, so keyboard users get stuck.",
        evidence: { sequence, stuckAt: focus.stuck.selector },
      };
    }
    for (const unseen of uniqueByLocator(focus.unseen)) {
      yield {
        ...locationOf(unseen),
        message: "This receives keyboard focus, but nothing shows where the focus is.",
        evidence: { sequence, stuckAt: null, unseen: unseen.selector },
      };
    }
  },
};
