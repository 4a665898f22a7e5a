import type { Sharp } from "sharp";
import { rgbaToThumbHash, thumbHashToRGBA } from "thumbhash";
import { openPixels } from "./sharp.ts";

/** Enough for the few frequencies in a thumbhash, in pixels; it accepts up to 100. */
const thumbEdge = 48;

/**
 * A few dozen bytes that show an image's colors before it loads. They are rendered from its
 * thumbhash here, so that pages need no script. Returns a WebP as a data URL, only for opaque
 * images: with a transparent one, the placeholder would stay visible behind it.
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
