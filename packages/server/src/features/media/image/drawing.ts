import type { Sharp } from "sharp";
import type { ImageFormat } from "../media-type.ts";
import { encodeJpeg, lossyWebp } from "./encode.ts";
import type { Pixels } from "./sharp.ts";

// Drawings, diagrams and screenshots: JPEG and lossy WebP blur their edges and colors, and are often
// larger than the same image without loss.

const lossless = { lossless: true, effort: 2 } as const;
/** Changes single values a little where that saves much; edges and flat areas stay. */
const nearLossless = { nearLossless: true, quality: 60, effort: 2 } as const;

/** What an image without loss may cost, in comparison to its lossy form. */
const losslessShare = 1.25;
const nearLosslessShare = 1.5;

/** Drawings with too many colors to be stored without loss; what came blurred needs no more. */
const lossyDrawing = (isExact: boolean) =>
  ({ quality: isExact ? 90 : 80, effort: 4, smartSubsample: true }) as const;

/** Up to this size, in bytes, an icon without bleeding colors is worth up to four times its size. */
const smallIconBytes = 24 * 1024;
const smallIconShare = 4;

/**
 * Above this share of pixels that equal their neighbor, an image may be a drawing: its size without
 * loss decides.
 */
const maybeShare = 0.25;
/**
 * Above this one, it is certain: diagrams and screenshots have more, photographs less, even with wide
 * margins.
 */
const certainShare = 0.75;

/** The share of pixels that equal their left neighbor, in every eighth row. */
function flatShare({ data, width, height, channels }: Pixels): number {
  let same = 0;
  let seen = 0;
  for (let y = 0; y < height; y += 8) {
    const row = y * width * channels;
    for (let x = 1; x < width; x += 1) {
      const at = row + x * channels;
      seen += 1;
      if (
        data[at] === data[at - channels] &&
        data[at + 1] === data[at + 1 - channels] &&
        data[at + 2] === data[at + 2 - channels]
      ) {
        same += 1;
      }
    }
  }
  return seen === 0 ? 1 : same / seen;
}

/** JPEG and the formats of cameras mostly contain photographs, and have blurred drawings already. */
function canBeDrawing(format: ImageFormat): boolean {
  return format === "png" || format === "gif" || format === "tiff" || format === "webp";
}

/** What is known of an image when its encoding is chosen. */
export interface Source {
  format: ImageFormat;
  /** The size of the file, in bytes. */
  bytes: number;
  /** Whether the pixels are fewer than in the file. */
  isReduced: boolean;
  /** Whether the file itself was stored without loss. */
  isExact: boolean;
}

/** How an image is stored, and what its smaller variants have to keep. */
export interface Encoded {
  data: Buffer;
  output: "jpeg" | "webp";
  isDrawing: boolean;
}

/** Below this size, in bytes, growing a little doesn't matter. */
const tinyBytes = 4096;

/**
 * The image without loss, or nearly so, if that is worth its size compared with `lossy` bytes, and no
 * larger than the file that came.
 */
async function withoutLoss(
  open: () => Sharp,
  lossy: number,
  maxBytes: number,
): Promise<Buffer | null> {
  const limit = (share: number) => Math.min(lossy * share, Math.max(maxBytes, tinyBytes));
  const exact = await open().webp(lossless).toBuffer();
  if (exact.length <= limit(losslessShare)) return exact;
  // It saves at most half of it, and takes as long again.
  if (exact.length > limit(nearLosslessShare) * 2) return null;
  const near = await open().webp(nearLossless).toBuffer();
  return near.length <= limit(nearLosslessShare) ? near : null;
}

/**
 * Encodes an image without transparency: a photograph as JPEG, a drawing as WebP without loss, unless
 * that is much larger. `open` returns the same pixels on each call.
 */
export async function encodeOpaque(
  open: () => Sharp,
  pixels: Pixels,
  source: Source,
): Promise<Encoded> {
  const { bytes, isExact, isReduced } = source;
  const share = canBeDrawing(source.format) ? flatShare(pixels) : 0;
  const jpeg = await encodeJpeg(open(), share > maybeShare ? "drawing" : "photo");
  // A smooth gradient isn't flat, but its file is small.
  const isSmall = canBeDrawing(source.format) && !isReduced && bytes <= jpeg.length * 2;
  if (isExact && (share > maybeShare || isSmall)) {
    const exact = await withoutLoss(open, jpeg.length, bytes);
    if (exact !== null) return { data: exact, output: "webp", isDrawing: true };
  }
  if (share <= certainShare) return { data: jpeg, output: "jpeg", isDrawing: false };
  const webp = await open().webp(lossyDrawing(isExact)).toBuffer();
  return webp.length < jpeg.length
    ? { data: webp, output: "webp", isDrawing: isExact }
    : { data: jpeg, output: "jpeg", isDrawing: isExact };
}

/**
 * Encodes an image as WebP: a drawing or small icon without loss, where that is worth its size. A
 * file that came smaller, in bytes, is not exceeded for that.
 */
export async function encodeWebp(
  open: () => Sharp,
  options: { hasAlpha: boolean; isDrawing: boolean; maxBytes?: number },
): Promise<Buffer> {
  const { hasAlpha, maxBytes = Number.POSITIVE_INFINITY } = options;
  const lossy = await open().webp(lossyWebp(hasAlpha)).toBuffer();
  if (options.isDrawing) return (await withoutLoss(open, lossy.length, maxBytes)) ?? lossy;
  if (!hasAlpha || lossy.length > smallIconBytes) return lossy;
  const exact = await open().webp(lossless).toBuffer();
  const worth = Math.min(smallIconBytes, lossy.length * smallIconShare, maxBytes);
  return exact.length <= Math.max(lossy.length, worth) ? exact : lossy;
}

/** Whether an image is a drawing rather than a photograph. */
export function isDrawing(pixels: Pixels, source: Source): boolean {
  return canBeDrawing(source.format) && flatShare(pixels) > maybeShare;
}
