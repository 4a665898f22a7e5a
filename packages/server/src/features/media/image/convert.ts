import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sharp } from "sharp";
import { removeTree } from "../../../platform/files.ts";
import type { ImageFormat } from "../media-type.ts";
import { readPngFrames } from "./color-description.ts";
import {
  decodeStill,
  decodeWith,
  hasRealAlpha,
  type ImageHeader,
  maxEdge,
  readHeader,
} from "./decode.ts";
import {
  encodeAnimation,
  encodeJpeg,
  encodeWebp,
  variantWidths,
  type JpegStyle,
  type Variant,
  writeVariant,
  writeVariants,
} from "./encode.ts";
import { addTransparency } from "./gif-transparency.ts";
import { heicToTiff } from "./heic.ts";
import { drawPlaceholder } from "./placeholder.ts";
import { svgToPng } from "./svg.ts";
import type { ConvertTask, ImageOutput, ImageResult } from "./protocol.ts";
import { type FailOn, openImage, openPixels, type Pixels } from "./sharp.ts";

/** Animations with more pixels in all frames are stored only in their own size. */
const variantsOfAnimation = 100_000_000;
/** Pixels of an animation that are checked for transparency. */
const scannedOfAnimation = 50_000_000;

/**
 * Whether so many neighboring pixels are equal that the image is a drawing rather than a
 * photograph.
 */
function isDrawing({ data, width, height, channels }: Pixels): boolean {
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
  return same > seen / 4;
}

/** JPEG and similar formats have already reduced color detail and mostly contain photographs. */
function jpegStyle(format: ImageFormat, pixels: Pixels): JpegStyle {
  const lossless = format === "png" || format === "gif" || format === "tiff" || format === "webp";
  return lossless && isDrawing(pixels) ? "drawing" : "photo";
}

async function writeMain(
  task: ConvertTask,
  data: Buffer,
  output: ImageOutput,
): Promise<{ file: string; mime: ImageResult["mime"]; bytes: number }> {
  const file = `${task.stem}.${output === "jpeg" ? "jpg" : "webp"}`;
  await writeFile(join(task.outDir, file), data, { flag: "wx", mode: 0o644 });
  return { file, mime: `image/${output}`, bytes: data.length };
}

const animationLost =
  "Only the first frame of this animated PNG is kept. To keep the animation, export it as GIF or WebP.";

/** A task for what a decoder of its own has made of another format. */
type StillTask = ConvertTask & { format: ImageFormat };

async function convertStill(task: StillTask): Promise<ImageResult> {
  const { file, outDir, stem } = task;
  const { value: pixels, warnings } = await decodeStill(file, task.format, task.limits);
  if (task.format === "png" && (await readPngFrames(file)) > 1) warnings.push(animationLost);
  const hasAlpha = hasRealAlpha(pixels);
  const hasSpareAlpha = !hasAlpha && (pixels.channels === 2 || pixels.channels === 4);
  const open = (): Sharp => (hasSpareAlpha ? openPixels(pixels).removeAlpha() : openPixels(pixels));
  const output = task.output ?? (hasAlpha ? "webp" : "jpeg");
  const data =
    output === "webp"
      ? await encodeWebp(open, hasAlpha)
      : await encodeJpeg(open(), jpegStyle(task.format, pixels));
  return {
    ...(await writeMain(task, data, output)),
    width: pixels.width,
    height: pixels.height,
    hasAlpha,
    animated: false,
    frames: 1,
    placeholder: hasAlpha ? null : await drawPlaceholder(open()),
    variants: await writeVariants(pixels, { outDir, stem, hasAlpha }),
    warnings,
  };
}

/** Whether any frame of an animation is transparent, checked at a size that fits into memory. */
async function animationHasAlpha(
  task: ConvertTask,
  { width: sourceWidth, height, frames }: ImageHeader,
  width: number,
): Promise<boolean> {
  const image = openImage(task.file, task.limits, { failOn: "error", frames });
  if (!(await image.metadata()).hasAlpha) return false;
  const pixels = sourceWidth * height * frames;
  const shrink = Math.min(1, Math.sqrt(scannedOfAnimation / pixels));
  const { data } = await image
    .resize({ width: Math.max(1, Math.floor(Math.min(width, maxEdge) * shrink)) })
    .extractChannel("alpha")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return data.some((value) => value !== 255);
}

/**
 * An animation is decoded frame by frame, once for each size, because all frames together could
 * fill the memory.
 */
async function convertAnimation(task: StillTask, header: ImageHeader): Promise<ImageResult> {
  const { outDir, stem, limits } = task;
  const { frames } = header;
  const encode = (failOn: FailOn, width: number, height?: number) => {
    const box = { width, height, fit: "inside", withoutEnlargement: true } as const;
    const open = () => openImage(task.file, limits, { failOn, frames }).resize(box);
    return encodeAnimation(() => open().toColourspace("srgb"), header);
  };
  const { value: main, warnings } = await decodeWith((failOn) => encode(failOn, maxEdge, maxEdge));
  const { width, height } = main;
  const hasAlpha = await animationHasAlpha(task, header, width);
  const variants: Variant[] = [];
  const isSmall = width * height * frames <= variantsOfAnimation;
  for (const each of isSmall ? variantWidths.filter((variant) => variant < width) : []) {
    const { data } = await encode("error", each);
    variants.push(await writeVariant({ outDir, stem, width: each }, data));
  }
  const first = openImage(task.file, limits, { failOn: "error" });
  return {
    ...(await writeMain(task, main.data, "webp")),
    width,
    height,
    hasAlpha,
    animated: true,
    frames,
    placeholder: hasAlpha ? null : await drawPlaceholder(first),
    variants,
    warnings,
  };
}

/** Decodes what the image library can't, or not rightly, to a file that it can; null for others. */
async function prepare(task: ConvertTask, target: string): Promise<ImageFormat | null> {
  const { file, format, limits } = task;
  if (format === "svg") {
    await svgToPng(file, target, limits);
    return "png";
  }
  if (format === "heic") {
    await heicToTiff(file, target, limits);
    return "heic";
  }
  return format === "gif" && (await addTransparency(file, target)) ? "gif" : null;
}

/**
 * Converts a file to what is stored: the main image, its variants, and its placeholder, all without
 * metadata. Throws `ImageError`; the caller removes files written before that.
 */
export async function convertImage(task: ConvertTask): Promise<ImageResult> {
  const { format, limits } = task;
  const prepared = join(task.outDir, `${task.stem}.prepared`);
  try {
    // A file with too many pixels isn't even copied.
    const header =
      format === "heic" || format === "svg" ? null : await readHeader(task.file, format, limits);
    const made = await prepare(task, prepared);
    const still = { ...task, format: made ?? (format as ImageFormat) };
    if (made !== null) still.file = prepared;
    return await (header !== null && header.frames > 1
      ? convertAnimation(still, header)
      : convertStill(still));
  } finally {
    await removeTree(prepared);
  }
}
