import type { ImageFormat } from "../media-type.ts";

/** What an image is held to before it is decoded. */
export interface ImageLimits {
  megapixels: number;
  avifMegapixels: number;
  frames: number;
  /** Of all frames of an animation together. */
  animationMegapixels: number;
}

export type ImageOutput = "jpeg" | "webp";

/** One file to convert: what comes of it goes to `outDir` as `<stem>.jpg`, `<stem>-480.webp`… */
export interface ConvertTask {
  task: "convert";
  file: string;
  /** A drawing is rendered before all else. */
  format: ImageFormat | "svg";
  outDir: string;
  stem: string;
  limits: ImageLimits;
  /** What the main image is to be, for an item that is made again; else the image decides. */
  output?: ImageOutput;
}

/** A JPEG of our own making (a film's poster) whose placeholder is wanted. */
export interface PlaceholderTask {
  task: "placeholder";
  file: string;
}

export type ImageTask = ConvertTask | PlaceholderTask;

/** A converted image; names are inside `outDir`, sizes in pixels and bytes. */
export interface ImageResult {
  file: string;
  mime: "image/jpeg" | "image/webp";
  bytes: number;
  width: number;
  height: number;
  /** Whether a pixel lets through what is behind it. */
  hasAlpha: boolean;
  animated: boolean;
  /** 1 unless animated. */
  frames: number;
  /** Data address of a tiny WebP; null for what is transparent. */
  placeholder: string | null;
  /** WebP, smallest first, all narrower than the main picture. */
  variants: { file: string; width: number; bytes: number }[];
  /** What was wrong with the file although it could be read. */
  warnings: string[];
}

export type ImageFault = "corrupt" | "too_many_pixels" | "animation_too_large" | "undecodable";

/** Why a file was refused; `disk_full` and `internal` are not the file's fault. */
export interface ImageFailure {
  reason: ImageFault | "disk_full" | "internal";
  message: string;
}

export type ImageResponse = { rss: number } & (
  | { result: ImageResult | string }
  | { failure: ImageFailure }
);

/** Thrown inside a worker; the process that asked makes an AppError of it. */
export class ImageError extends Error {
  readonly reason: ImageFault;

  constructor(reason: ImageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageError";
    this.reason = reason;
  }
}
