import { open as openFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sharp } from "sharp";
import { removeTree } from "../../../platform/files.ts";
import type { ImageFormat } from "../media-type.ts";
import { readColorDescription, readPngFrames } from "./color-description.ts";
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
  variantWidths,
  type Variant,
  writeVariant,
} from "./encode.ts";
import { type Encoded, encodeOpaque, encodeWebp, isDrawing } from "./drawing.ts";
import { addTransparency } from "./gif-transparency.ts";
import { heicToTiff } from "./heic.ts";
import { drawPlaceholder } from "./placeholder.ts";
import { svgToPng } from "./svg.ts";
import { isLosslessWebp } from "./webp-kind.ts";
import type { ConvertTask, ImageOutput, ImageResult } from "./protocol.ts";
import { type FailOn, openHeader, openImage, openPixels, type Pixels } from "./sharp.ts";

/** Animations with more pixels in all frames are stored only in their own size. */
const variantsOfAnimation = 100_000_000;
/** A smaller variant of this size, in bytes, is made even if the image itself is smaller still. */
const tinyBytes = 4096;
/** Pixels of an animation that are checked for transparency. */
const scannedOfAnimation = 50_000_000;

async function writeMain(
  task: ConvertTask,
  data: Buffer,
  output: ImageOutput,
): Promise<{ file: string; mime: ImageResult["mime"]; bytes: number }> {
  const file = `${task.stem}.${output === "jpeg" ? "jpg" : "webp"}`;
  await writeFile(join(task.outDir, file), data, { flag: "wx", mode: 0o644 });
  return { file, mime: `image/${output}`, bytes: data.length };
}

const animationLost = (format: string) =>
  `Only the first frame of this animated ${format} is kept. To keep the animation, export it as GIF or WebP.`;

/** Whether an AVIF says that it is a sequence, by its brand (AV1 Image File Format, section 6.3). */
async function isSequence(file: string): Promise<boolean> {
  const handle = await openFile(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.toString("latin1", 8) === "avis";
  } finally {
    await handle.close();
  }
}

/** Says that a file has more pictures than the one that is kept; null if it doesn't. */
async function lossWarning({ format, received: file }: StillTask): Promise<string | null> {
  if (format === "png") return (await readPngFrames(file)) > 1 ? animationLost("PNG") : null;
  if (format === "avif") return (await isSequence(file)) ? animationLost("AVIF") : null;
  if (format !== "tiff") return null;
  const { pages = 1 } = await openHeader(file, false).metadata();
  return pages > 1 ? "Only the first page of this TIFF is kept." : null;
}

/** A task for what a decoder of its own has made of another format, which may be in `received`. */
type StillTask = ConvertTask & { format: ImageFormat; received: string };

/** The main image, in the format that it had before or that suits it. */
async function encodeStill(
  task: StillTask,
  pixels: Pixels,
  { open, hasAlpha, isReduced }: { open(): Sharp; hasAlpha: boolean; isReduced: boolean },
): Promise<Encoded> {
  const { size: bytes } = await stat(task.file);
  const isExact = task.format !== "webp" || (await isLosslessWebp(task.file));
  const source = { format: task.format, bytes, isReduced, isExact };
  if (task.output === "jpeg") {
    const isDrawn = isDrawing(pixels, source);
    const data = await encodeJpeg(open(), isDrawn ? "drawing" : "photo");
    return { data, output: "jpeg", isDrawing: isDrawn };
  }
  if (!hasAlpha && task.output === undefined) return encodeOpaque(open, pixels, source);
  const isDrawn = isExact && isDrawing(pixels, source);
  const data = await encodeWebp(open, { hasAlpha, isDrawing: isDrawn, maxBytes: bytes });
  return { data, output: "webp", isDrawing: isDrawn };
}

/** The smaller variants of a still image, from the pixels of the main one. */
async function writeVariants(
  task: StillTask,
  pixels: Pixels,
  main: { hasAlpha: boolean; isDrawing: boolean; bytes: number },
): Promise<Variant[]> {
  const { outDir, stem } = task;
  const variants: Variant[] = [];
  for (const width of variantWidths.filter((each) => each < pixels.width)) {
    const { hasAlpha, isDrawing: isDrawn, bytes: maxBytes } = main;
    const open = () => openPixels(pixels).resize({ width });
    const data = await encodeWebp(open, { hasAlpha, isDrawing: isDrawn, maxBytes });
    // A drawing's edges become soft when it is made smaller, which can take more than all of it.
    if (main.isDrawing && data.length > Math.max(main.bytes, tinyBytes)) continue;
    variants.push(await writeVariant({ outDir, stem, width }, data));
  }
  return variants;
}

async function convertStill(task: StillTask, header: ImageHeader | null): Promise<ImageResult> {
  // A drawing is described by its PNG, anything else by the file that came.
  const described = task.format === "heic" ? task.received : task.file;
  const color = await readColorDescription(described, task.format);
  const { value: pixels, warnings } = await decodeStill(task, color);
  const lost = await lossWarning(task);
  if (lost !== null) warnings.push(lost);
  const hasAlpha = hasRealAlpha(pixels);
  const hasSpareAlpha = !hasAlpha && (pixels.channels === 2 || pixels.channels === 4);
  const open = (): Sharp => (hasSpareAlpha ? openPixels(pixels).removeAlpha() : openPixels(pixels));
  const isReduced = header === null || header.width * header.height > pixels.width * pixels.height;
  const {
    data,
    output,
    isDrawing: isDrawn,
  } = await encodeStill(task, pixels, {
    open,
    hasAlpha,
    isReduced,
  });
  const main = { hasAlpha, isDrawing: isDrawn, bytes: data.length };
  return {
    ...(await writeMain(task, data, output)),
    width: pixels.width,
    height: pixels.height,
    hasAlpha,
    animated: false,
    frames: 1,
    placeholder: hasAlpha ? null : await drawPlaceholder(open()),
    variants: await writeVariants(task, pixels, main),
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

/** Whether the image library can't read a file's header as it came. */
async function needsPreparation({ format, file }: ConvertTask): Promise<boolean> {
  return format === "heic" || format === "svg" || (format === "avif" && (await isSequence(file)));
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
  if (format === "avif" && (await isSequence(file))) {
    // The image library reads the first frame, but doesn't know the brand.
    const bytes = await readFile(file);
    bytes.write("avif", 8, "latin1");
    await writeFile(target, bytes);
    return "avif";
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
    let header = (await needsPreparation(task))
      ? null
      : await readHeader(task.file, format as ImageFormat, limits);
    const made = await prepare(task, prepared);
    if (made === "avif") header = await readHeader(prepared, made, limits);
    const still = { ...task, format: made ?? (format as ImageFormat), received: task.file };
    if (made !== null) still.file = prepared;
    return await (header !== null && header.frames > 1
      ? convertAnimation(still, header)
      : convertStill(still, header));
  } finally {
    await removeTree(prepared);
  }
}
