import { byPlace, seenAt } from "../../browser/told.ts";
import type { BrowserCheck } from "../../check.ts";

/**
 * Where the keyboard gets stuck (WCAG 2.2, 2.1.2), and links and buttons that it reaches and nobody
 * sees then (2.4.7).
 */
export const a11yFocusTrapAndOrder: BrowserCheck = {
  id: "a11y.focus-trap-and-order",
  category: "accessibility",
  severity: "warning",
  *look({ focus }) {
    const sequence = focus.sequence.slice(0, 30);
    if (focus.stuck) {
      yield {
        ...seenAt(focus.stuck),
        message: "The Tab key does not lead on from here: whoever uses a keyboard is stuck.",
        evidence: { sequence, stuckAt: focus.stuck.selector },
      };
    }
    for (const unseen of byPlace(focus.unseen)) {
      yield {
        ...seenAt(unseen),
        message: "The keyboard reaches this, and nobody can see where it is then.",
        evidence: { sequence, stuckAt: null, unseen: unseen.selector },
      };
    }
  },
};
