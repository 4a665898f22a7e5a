import { isSameOrigin, locationOf, formatUrl, formatBytes } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/** Screens with two device pixels per CSS pixel are common, so images may be that much larger. */
const density = 2;
const minWaste = 100_000;

/** Reports an image with many more pixels than any window shows, at a noticeable cost. */
export const imgOversized: BrowserCheck = {
  id: "img.oversized",
  category: "images",
  severity: "warning",
  *run(visit) {
    for (const image of visit.images) {
      const { url, natural, rendered, wireBytes } = image;
      if (image.vector || !isSameOrigin(visit, url)) continue;
      // The larger ratio counts: an image that is cropped to fit needs all of its shorter side.
      const scale =
        Math.max(rendered.width / natural.width, rendered.height / natural.height) * density;
      if (scale > 0.75) continue;
      const wastedBytes = Math.round(wireBytes * (1 - scale * scale));
      if (wastedBytes < minWaste) continue;
      yield {
        target: formatUrl(visit, url),
        ...locationOf(image),
        message: `The image ${quote(formatUrl(visit, url))} is ${natural.width} × ${natural.height} pixels but shown at ${rendered.width} × ${rendered.height} at most, which wastes about ${formatBytes(wastedBytes)}.`,
        evidence: { natural, rendered, wastedBytes },
      };
    }
  },
};
