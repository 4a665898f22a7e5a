import type { ImageFormat } from "../media-type.ts";

/** Limits checked before an image is decoded. */
export interface ImageLimits {
  megapixels: number;
  avifMegapixels: number;
  frames: number;
  /** Of all frames of an animation together. */
  animationMegapixels: number;
}

export type ImageOutput = "jpeg" | "webp";

/** A file to convert: the results are written to `outDir` as `<stem>.jpg`, `<stem>-480.webp`… */
export interface ConvertTask {
  task: "convert";
  file: string;
  /** A drawing is rendered before all else. */
  format: ImageFormat | "svg";
  outDir: string;
  stem: string;
  limits: ImageLimits;
  /**
   * The format of the main image, for an item that is converted again; otherwise it depends on the
   * image.
   */
  output?: ImageOutput;
  /** The part of a still image that is kept, in its pixels. */
  crop?: { x: number; y: number; width: number; height: number };
}

/** A JPEG that Vitrine has made (a video's poster) and that needs a placeholder. */
export interface PlaceholderTask {
  task: "placeholder";
  file: string;
}

/** A stored image that gets AVIF variants, written to `outDir` as `<stem>-480.avif`…  */
export interface AvifTask {
  task: "avif";
  file: string;
  outDir: string;
  stem: string;
  /** The files that visitors get so far, smallest first; sizes in pixels and bytes. */
  present: { width: number; bytes: number }[];
}

export type ImageTask = ConvertTask | PlaceholderTask | AvifTask;

/** A converted image; names are relative to `outDir`, sizes in pixels and bytes. */
export interface ImageResult {
  file: string;
  mime: "image/jpeg" | "image/webp";
  bytes: number;
  width: number;
  height: number;
  /** Whether any pixel is transparent. */
  hasAlpha: boolean;
  animated: boolean;
  /** 1 unless animated. */
  frames: number;
  /** Data URL of a tiny WebP; null for a transparent image. */
  placeholder: string | null;
  /** WebP, smallest first, all narrower than the main image. */
  variants: { file: string; width: number; bytes: number }[];
  /** Problems with the file that didn't prevent decoding. */
  warnings: string[];
}

export type ImageFault = "corrupt" | "too_many_pixels" | "animation_too_large" | "undecodable";

/** Why a file was refused; `disk_full` and `internal` aren't the file's fault. */
export interface ImageFailure {
  reason: ImageFault | "disk_full" | "internal";
  message: string;
}

export type ImageResponse = { rss: number } & (
  | { result: ImageResult | ImageResult["variants"] | string }
  | { failure: ImageFailure }
);

/** Thrown inside a worker; the calling process converts it to an AppError. */
export class ImageError extends Error {
  readonly reason: ImageFault;

  constructor(reason: ImageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageError";
    this.reason = reason;
  }
}
