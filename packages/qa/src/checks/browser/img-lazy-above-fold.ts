import { locationOf, formatUrl } from "../../browser/format.ts";
import type { Visit } from "../../browser/visit.ts";
import { type BrowserCheck, quote } from "../../check.ts";

type ImageBox = Visit["images"][number];

const screen = { width: 1440, height: 900 };
/** In pixels: well above the fold of common windows. */
const fold = 600;
const minArea = 20_000;
/** Images in a row may differ in size by a pixel or two. */
const alike = 0.9;

function isAtTop({ top, left, rendered }: ImageBox): boolean {
  return top >= 0 && top < fold && left >= 0 && left < screen.width - rendered.width / 2;
}

/** The area that is visible when the page opens, in square pixels. */
function visibleArea({ top, left, rendered }: ImageBox): number {
  const width = Math.min(rendered.width, screen.width - left);
  return width * Math.min(rendered.height, screen.height - top);
}

/**
 * Reports a lazy-loaded image that is the largest one above the fold. If the first image of a row
 * loads eagerly, the others may be lazy, because on a small screen they are far below.
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
