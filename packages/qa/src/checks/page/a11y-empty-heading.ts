import type { Check } from "../../check.ts";
import { isHiddenFromReaders, isPresentational, roleOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";

/** Reports a heading without text. */
export const a11yEmptyHeading: Check = {
  id: "a11y.axe.empty-heading",
  category: "accessibility",
  severity: "notice",
  isBrowserFallback: true,
  *run(page) {
    for (const element of page.elements) {
      const role = roleOf(element);
      const native = /^(?:|none|presentation)$/.test(role) && /^h[1-6]$/.test(element.name);
      if ((!native && role !== "heading") || isPresentational(element)) continue;
      if (isHiddenFromReaders(element) || accessibleName(page, element) !== "") continue;
      yield {
        at: element,
        evidence: { rule: "empty-heading" },
        message: "A heading is empty.",
      };
    }
  },
};
