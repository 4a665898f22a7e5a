import type { Check } from "../../check.ts";
import { attribute, isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { nameByAttributes } from "../../page/name.ts";

/** Reports a frame without a title. */
export const a11yFrameTitle: Check = {
  id: "a11y.axe.frame-title",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page) {
    for (const frame of page.all("iframe")) {
      if (isHiddenFromReaders(frame) || /^(?:none|presentation)$/.test(roleOf(frame))) continue;
      const named = nameByAttributes(page, frame) !== "";
      if (named || Number(attribute(frame, "tabindex")) < 0) continue;
      yield {
        target: attribute(frame, "src") ?? null,
        at: frame,
        evidence: { rule: "frame-title", src: attribute(frame, "src") ?? null },
        message: "A frame has no title.",
      };
    }
  },
};
