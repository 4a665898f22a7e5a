import { isOwn, seenAt, shownUrl, size } from "../../browser/told.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/** Screens with two pixels to each CSS pixel are common: up to there a picture may be larger. */
const density = 2;
const leastWaste = 100_000;

/** A picture with many more pixels than any window shows, at a cost that is felt. */
export const imgOversized: BrowserCheck = {
  id: "img.oversized",
  category: "images",
  severity: "warning",
  *look(visit) {
    for (const image of visit.images) {
      const { url, natural, shown, wireBytes } = image;
      if (image.vector || !isOwn(visit, url)) continue;
      // The larger share counts: a picture that is cut to fit needs all of its shorter edge.
      const scale = Math.max(shown.width / natural.width, shown.height / natural.height) * density;
      if (scale > 0.75) continue;
      const wastedBytes = Math.round(wireBytes * (1 - scale * scale));
      if (wastedBytes < leastWaste) continue;
      yield {
        target: shownUrl(visit, url),
        ...seenAt(image),
        message: `The picture ${quote(shownUrl(visit, url))} has ${natural.width} × ${natural.height} pixels and is shown at most ${shown.width} × ${shown.height} large: about ${size(wastedBytes)} too much.`,
        evidence: { natural, rendered: shown, wastedBytes },
      };
    }
  },
};
