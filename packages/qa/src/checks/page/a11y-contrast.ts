import { type Check, locate, quote } from "../../check.ts";
import { hexOf } from "../../style/color.ts";
import { findLowContrastText } from "../../style/contrast.ts";

/** Reports text with too little contrast (WCAG 2.2, 1.4.3), without a browser. */
export const a11yContrast: Check = {
  id: "a11y.contrast",
  category: "accessibility",
  severity: "error",
  isBrowserFallback: true,
  *run(page, site) {
    const { lowContrast, notChecked } = findLowContrastText(page, site);
    if (notChecked !== null) {
      yield {
        severity: "notice",
        confidence: "review",
        evidence: { reason: notChecked },
        at: "not checked",
        // One finding for all pages: usually the pages share a style sheet.
        shared: true,
        message: `Text contrast wasn’t checked: ${notChecked}.`,
      };
    }
    for (const { element, text, ratio, needed, front, back, viewing } of lowContrast) {
      // Two decimals, truncated: 4.499 isn't shown as 4.5.
      const shown = Math.floor(ratio * 100) / 100;
      const scheme = viewing.scheme === "dark" ? " in the dark" : "";
      yield {
        at: `${hexOf(front)} on ${hexOf(back)}`,
        formerAt: locate(element),
        shared: true,
        location: {
          selector: locate(element),
          line: element.sourceCodeLocation?.startLine ?? null,
          text: text.slice(0, 80),
        },
        evidence: {
          fg: hexOf(front),
          bg: hexOf(back),
          ratio: shown,
          required: needed,
          selector: locate(element),
        },
        cause: `${hexOf(front)} on ${hexOf(back)}`,
        message: `The text ${quote(text)} has a contrast of ${shown}:1${scheme} (${hexOf(front)} on ${hexOf(back)}); it needs ${needed}:1.`,
      };
    }
  },
};
