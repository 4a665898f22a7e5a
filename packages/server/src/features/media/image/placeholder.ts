import type { Sharp } from "sharp";
import { rgbaToThumbHash, thumbHashToRGBA } from "thumbhash";
import { openPixels } from "./sharp.ts";

/** Enough for the few waves that a thumbhash is made of, in pixels; it takes up to 100. */
const thumbEdge = 48;

/**
 * A few dozen bytes that show an image's colors before it is there: drawn from its thumbhash here,
 * so that a page needs no script. A data address of a WebP, for an image without transparency: what
 * stands behind one that lets it through would be seen for good.
 */
export async function drawPlaceholder(image: Sharp): Promise<string> {
  const { data, info } = await image
    .resize({ width: thumbEdge, height: thumbEdge, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  const { w, h, rgba } = thumbHashToRGBA(rgbaToThumbHash(info.width, info.height, data));
  const tiny = await openPixels({ data: Buffer.from(rgba), width: w, height: h, channels: 4 })
    .removeAlpha()
    .webp({ quality: 40, effort: 4 })
    .toBuffer();
  return `data:image/webp;base64,${tiny.toString("base64")}`;
}
