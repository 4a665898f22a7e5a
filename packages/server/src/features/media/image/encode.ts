import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sharp } from "sharp";
import { keepFrames } from "./webp-frames.ts";

/** Widths in pixels that pages choose from; only those below the main image's are made. */
export const variantWidths = [480, 800, 1200];

const webp = { quality: 80, effort: 2, alphaQuality: 100 } as const;
/** Below this size, in bytes, an animated drawing with few colors may be as small without loss. */
const losslessWorthTrying = 32 * 1024;
/** Up to this size, what shows no bleeding colors is worth a few bytes more. */
const smallLossless = 16 * 1024;
const losslessWebp = { lossless: true, effort: 2 } as const;

/** The better of both encodings of one image. */
function choose(lossy: Buffer, lossless: Buffer): Buffer {
  const limit = Math.max(lossy.length, Math.min(smallLossless, lossy.length * 4));
  return lossless.length <= limit ? lossless : lossy;
}

/**
 * mozjpeg's tables and trellis; its search of scan orders is expensive and gains little. With these
 * tables, quality 78 looks like 80 in other encoders and is a quarter smaller.
 */
const mozjpeg = {
  progressive: true,
  trellisQuantisation: true,
  overshootDeringing: true,
  optimiseScans: false,
  quantisationTable: 3,
} as const;

/**
 * How an image without transparency is encoded: a drawing's thin colored lines need full chroma.
 */
export type JpegStyle = "photo" | "drawing";

export function encodeJpeg(image: Sharp, style: JpegStyle): Promise<Buffer> {
  const quality =
    style === "photo"
      ? ({ quality: 78, chromaSubsampling: "4:2:0" } as const)
      : ({ quality: 85, chromaSubsampling: "4:4:4" } as const);
  return image.jpeg({ ...mozjpeg, ...quality }).toBuffer();
}

/** The options of a still WebP. Colors are reduced with care where they could bleed into nothing. */
export function lossyWebp(hasAlpha: boolean) {
  return { quality: 80, effort: 4, alphaQuality: 100, smartSubsample: hasAlpha } as const;
}

/**
 * An animation with all frames as WebP; the size is that of one frame. `open` returns the same frames on
 * each call.
 */
export async function encodeAnimation(
  open: () => Sharp,
  times: { delays: number[]; loop: number },
): Promise<{ data: Buffer; width: number; height: number }> {
  const { data: lossy, info } = await open().webp(webp).toBuffer({ resolveWithObject: true });
  const size = { width: info.width, height: info.pageHeight ?? info.height };
  const isSmall = lossy.length < losslessWorthTrying;
  const data = isSmall ? choose(lossy, await open().webp(losslessWebp).toBuffer()) : lossy;
  return { data: keepFrames(data, { ...size, ...times }), ...size };
}

export interface Variant {
  file: string;
  width: number;
  bytes: number;
}

export async function writeVariant(
  target: { outDir: string; stem: string; width: number },
  data: Buffer,
): Promise<Variant> {
  const file = `${target.stem}-${target.width}.webp`;
  await writeFile(join(target.outDir, file), data, { flag: "wx", mode: 0o644 });
  return { file, width: target.width, bytes: data.length };
}
