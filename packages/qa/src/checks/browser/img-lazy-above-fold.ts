import { locationOf, formatUrl } from "../../browser/format.ts";
import type { Visit } from "../../browser/visit.ts";
import { type BrowserCheck, quote } from "../../check.ts";

type ImageBox = Visit["images"][number];

const screen = { width: 1440, height: 900 };
/** Well above the fold of common windows, and large enough to be waited for. */
const fold = 600;
const minArea = 20_000;
/** Images of a row differ by a pixel or two. */
const alike = 0.9;

function isAtTop({ top, left, rendered }: ImageBox): boolean {
  return top >= 0 && top < fold && left >= 0 && left < screen.width - rendered.width / 2;
}

/** How much of it is seen as the page opens, in square pixels. */
function visibleArea({ top, left, rendered }: ImageBox): number {
  const width = Math.min(rendered.width, screen.width - left);
  return width * Math.min(rendered.height, screen.height - top);
}

/**
 * The image that everybody waits for and that is told to wait until it is seen. It is the largest
 * at the top: where the first of a row comes at once, the others may be lazy, for on a small screen
 * they are far below.
 */
export const imgLazyAboveFold: BrowserCheck = {
  id: "img.lazy-above-fold",
  category: "images",
  severity: "warning",
  *run(visit) {
    const atTop = visit.images.filter(isAtTop);
    const large = atTop.filter(({ rendered }) => rendered.width * rendered.height >= minArea);
    const [first, ...others] = large.filter(({ lazy }) => lazy);
    if (!first) return;
    const largest = others.reduce(
      (known, image) => (visibleArea(image) * alike > visibleArea(known) ? image : known),
      first,
    );
    const isEarly = (image: ImageBox) =>
      !image.lazy && visibleArea(image) >= visibleArea(largest) * alike;
    if (large.some(isEarly)) return;
    const target = formatUrl(visit, largest.url);
    yield {
      target,
      ...locationOf(largest),
      message: `The image ${quote(target)} is the largest at the top of the page but has loading="lazy", so it loads later than it could.`,
      evidence: { src: target, y: largest.top },
    };
  },
};
