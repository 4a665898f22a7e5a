import sharp, { type Sharp, type SharpOptions } from "sharp";
import type { ImageLimits } from "./protocol.ts";

/** The allowed decoders; libvips itself refuses all others, among them SVG files and PDF. */
const loaders = [
  "VipsForeignLoadJpegFile",
  "VipsForeignLoadPngFile",
  "VipsForeignLoadWebpFile",
  "VipsForeignLoadNsgifFile",
  "VipsForeignLoadTiffFile",
  "VipsForeignLoadHeifFile",
  // Of bytes in memory alone: without an address of its own, a drawing can name no other file.
  "VipsForeignLoadSvgBuffer",
];

sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: loaders });
// Two worker processes use two cores; more threads in each would only wait.
sharp.concurrency(1);
sharp.cache(false);
sharp.simd(true);

/** How strict decoding is: libvips continues after what is tolerated. */
export type FailOn = "none" | "error" | "warning";

/** Opens a file for decoding as many frames. The limits were checked before; libvips enforces them again. */
export function openImage(
  file: string,
  limits: ImageLimits,
  options: { failOn: FailOn; frames?: number; ignoreIcc?: boolean },
): Sharp {
  const { failOn, frames = 1, ignoreIcc = false } = options;
  const megapixels = frames > 1 ? limits.animationMegapixels : limits.megapixels;
  const opened: SharpOptions = {
    failOn,
    ignoreIcc,
    pages: frames,
    limitInputPixels:
      Math.max(megapixels, limits.avifMegapixels, limits.heicMegapixels) * 1_000_000,
  };
  return sharp(file, opened);
}

/** Reads only a file's header, whatever size it declares. */
export function openHeader(file: string, animated: boolean): Sharp {
  return sharp(file, { failOn: "none", animated, limitInputPixels: false });
}

/** Opens a drawing in memory, `density` in pixels an inch; 72 is its own size. */
export function openSvg(source: Buffer, density: number): Sharp {
  return sharp(source, { failOn: "error", density, limitInputPixels: false });
}

/** Decoded pixels, 8 bits a channel in sRGB. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
  channels: 1 | 2 | 3 | 4;
}

export function openPixels({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}
