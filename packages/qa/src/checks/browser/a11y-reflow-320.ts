import { locationOf } from "../../browser/format.ts";
import type { Visit } from "../../browser/visit.ts";
import type { BrowserCheck } from "../../check.ts";

type Narrow = Visit["narrow"][number];

const at = (visit: Visit, width: number) => visit.narrow.find((one) => one.width === width);
const isProse = ({ wide }: Narrow["offenders"][number]) => !wide;

/** What makes a page too wide at 320 pixels; null if everything fits or may need two dimensions. */
export function tooWideAt320(visit: Visit) {
  const narrow = at(visit, 320);
  const worst = narrow?.offenders.find(isProse);
  return narrow && worst ? { narrow, worst } : null;
}

/**
 * Reports a page that scrolls sideways at 320 pixels (WCAG 2.2, 1.4.10). Tables, code, and maps may
 * need two dimensions. If the page is too wide at 375 pixels as well, this finding says so.
 */
export const a11yReflow320: BrowserCheck = {
  id: "a11y.reflow-320",
  category: "responsive",
  severity: "error",
  byComponent: true,
  *run(visit) {
    const found = tooWideAt320(visit);
    if (!found) return;
    const { worst } = found;
    const { scrollWidth, clientWidth, screenshot } = found.narrow;
    const telephone = at(visit, 375);
    const isBoth = telephone?.offenders.some(isProse) === true;
    const evidence = { scrollWidth, clientWidth, offender: worst.selector, screenshot };
    yield {
      ...locationOf(worst),
      message: isBoth
        ? `The page is ${telephone.scrollWidth} pixels wide on a ${telephone.clientWidth}-pixel phone, and ${scrollWidth} pixels wide at ${clientWidth} pixels (400% zoom), so every line has to be scrolled sideways.`
        : `At ${clientWidth} pixels (400% zoom), the page is ${scrollWidth} pixels wide, so every line has to be scrolled sideways.`,
      evidence: isBoth ? { ...evidence, widths: [375, 320] } : evidence,
    };
  },
};
