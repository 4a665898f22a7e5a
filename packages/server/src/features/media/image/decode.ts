import type { Metadata } from "sharp";
import type { ImageFormat } from "../media-type.ts";
import type { DescribedColor } from "./color-description.ts";
import { ImageError } from "./image-error.ts";
import type { ConvertTask, ImageLimits } from "./protocol.ts";
import { type FailOn, openHeader, openImage, type Pixels } from "./sharp.ts";
import { refuseUnfitTiff } from "./unfit-tiff.ts";
import { toSrgb } from "./wide-color.ts";

/** Maximum length of the longer edge of stored images, in pixels. */
export const maxEdge = 1600;

export interface ImageHeader {
  /** Of one frame. */
  width: number;
  height: number;
  /** More than 1 only for an animation. */
  frames: number;
  /** The duration of each frame in ms, and how often the animation loops; 0 is forever. */
  delays: number[];
  loop: number;
}

/** GIF and WebP; the pages of a TIFF or AVIF aren't an animation. */
function canAnimate(format: ImageFormat): boolean {
  return format === "gif" || format === "webp";
}

/** Formats whose pixels are decoded all at once have limits of their own. */
function maxMegapixels(format: ImageFormat, limits: ImageLimits): number {
  if (format === "avif") return limits.avifMegapixels;
  return format === "heic" ? limits.heicMegapixels : limits.megapixels;
}

/** Throws `too_many_pixels` or `animation_too_large` for images that must not be decoded. */
export function checkSize(
  header: Pick<ImageHeader, "width" | "height" | "frames">,
  format: ImageFormat,
  limits: ImageLimits,
): void {
  const { width, height, frames } = header;
  const max = maxMegapixels(format, limits);
  const megapixels = (width * height) / 1_000_000;
  if (megapixels > max) {
    const size = `${width} × ${height} pixels`;
    const message = `The image has ${size}. At most ${max} megapixels are accepted.`;
    throw new ImageError("too_many_pixels", message);
  }
  if (frames > limits.frames) {
    const message = `The animation has ${frames} frames; at most ${limits.frames} are accepted.`;
    throw new ImageError("animation_too_large", message);
  }
  if (frames > 1 && megapixels * frames > limits.animationMegapixels) {
    const all = Math.round(megapixels * frames);
    const message = `The animation's frames have ${all} megapixels in total; at most ${limits.animationMegapixels} are accepted.`;
    throw new ImageError("animation_too_large", message);
  }
}

/** Reads the size from the file's header and checks the limits without decoding. */
export async function readHeader(
  file: string,
  format: ImageFormat,
  limits: ImageLimits,
): Promise<ImageHeader> {
  if (format === "tiff") await refuseUnfitTiff(file);
  let metadata: Metadata;
  try {
    metadata = await openHeader(file, canAnimate(format)).metadata();
  } catch (cause) {
    throw new ImageError("corrupt", "The image's header can't be read. Export it again.", {
      cause,
    });
  }
  const frames = canAnimate(format) ? (metadata.pages ?? 1) : 1;
  const height = frames > 1 ? (metadata.pageHeight ?? metadata.height) : metadata.height;
  const { delay: delays = [], loop = 0 } = metadata;
  const header = { width: metadata.width, height, frames, delays, loop };
  checkSize(header, format, limits);
  return header;
}

/** Messages that mean the file is cut off: half an image is refused, not stored. */
const cutShort =
  /premature|truncat|unexpected(ly)? end|end of (file|stream|image|data)|read error/i;

/**
 * Decodes with warnings as errors; if a warning fails it, again with errors only, because some
 * cameras' JPEGs contain harmless stray bytes. Throws `corrupt`.
 */
export async function decodeWith<T>(
  decode: (failOn: FailOn) => Promise<T>,
): Promise<{ value: T; warnings: string[] }> {
  let warning: string;
  try {
    return { value: await decode("warning"), warnings: [] };
  } catch (error) {
    warning = error instanceof Error ? error.message : String(error);
    if (cutShort.test(warning)) {
      throw new ImageError("corrupt", "The image file is incomplete. Upload it again.", {
        cause: error,
      });
    }
  }
  try {
    const value = await decode("error");
    return { value, warnings: [`The file has minor damage: ${firstLine(warning)}`] };
  } catch (cause) {
    throw new ImageError("corrupt", "The image is damaged and can't be decoded. Export it again.", {
      cause,
    });
  }
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").trim().slice(0, 200);
}

/**
 * Decodes a still image once: rotated upright, within `maxEdge`, never enlarged, converted to sRGB
 * by its color profile or by what else the file says about its colors, which is null for nothing.
 */
export async function decodeStill(
  { file, limits, crop }: Pick<ConvertTask, "file" | "limits" | "crop">,
  color: DescribedColor | null,
): Promise<{ value: Pixels; warnings: string[] }> {
  const { depth } = await openHeader(file, false).metadata();
  return decodeWith(async (failOn) => {
    // A profile beside another description is for programs that don't know that.
    const upright = openImage(file, limits, { failOn, ignoreIcc: color !== null }).autoOrient();
    const part = crop
      ? upright.extract({ left: crop.x, top: crop.y, width: crop.width, height: crop.height })
      : upright;
    const image = part.resize({
      width: maxEdge,
      height: maxEdge,
      fit: "inside",
      withoutEnlargement: true,
    });
    if (color !== null && color !== "srgb") {
      const wide = image.toColourspace("rgb16").raw({ depth: "ushort" });
      const { data, info } = await wide.toBuffer({ resolveWithObject: true });
      return toSrgb({ data, ...info }, color);
    }
    // Otherwise, sharp works with 16 bits in the colors of Display P3, which raw pixels would keep.
    const own = depth === "ushort" ? image.pipelineColourspace("srgb") : image;
    const { data, info } = await own
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, channels: info.channels };
  });
}

/** Whether any pixel is transparent: an alpha channel alone doesn't mean so. */
export function hasRealAlpha({ data, channels }: Pixels): boolean {
  if (channels === 2) return data.some((value, at) => at % 2 === 1 && value !== 255);
  if (channels !== 4) return false;
  if (data.byteOffset % 4 !== 0) {
    for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true;
    return false;
  }
  // All platforms that Node supports are little-endian: alpha is the highest byte.
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length >>> 2);
  // By index, because an iterator takes ten times as long.
  for (let at = 0; at < words.length; at += 1) if ((words[at] ?? 0) < 0xff000000) return true;
  return false;
}
