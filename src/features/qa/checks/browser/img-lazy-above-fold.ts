import { seenAt, shownUrl } from "../../browser/told.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/** Well above the fold of common windows, and large enough to be waited for. */
const fold = 600;
const leastArea = 20_000;

/** A picture that everybody sees at once and that is told to wait until it is seen. */
export const imgLazyAboveFold: BrowserCheck = {
  id: "img.lazy-above-fold",
  category: "images",
  severity: "warning",
  *look(visit) {
    for (const image of visit.images) {
      const { lazy, top, left, shown, url } = image;
      if (!lazy || top < 0 || top >= fold || left < 0 || left >= 1440 - shown.width / 2) continue;
      if (shown.width * shown.height < leastArea) continue;
      const target = shownUrl(visit, url);
      yield {
        target,
        ...seenAt(image),
        message: `The picture ${quote(target)} is at the top of the page and marked loading="lazy": it comes later than it could.`,
        evidence: { src: target, y: top },
      };
    }
  },
};
