import { AppError } from "../../kit/errors.ts";
import type { Limits } from "../../platform/config.ts";
import type { MediaKind } from "./schema.ts";

export type SizeLimits = Pick<Limits["media"], "imageMiB" | "videoMiB">;

const mebibyte = 1024 * 1024;

/** Maximum size of a file of this kind, in bytes; null if the kind is unknown yet. */
export function maxBytesFor(limits: SizeLimits, kind: MediaKind | null): number {
  const image = limits.imageMiB * mebibyte;
  const video = limits.videoMiB * mebibyte;
  if (kind === null) return Math.max(image, video);
  return kind === "image" ? image : video;
}

const names = { image: "An image", video: "A video" };

/** Throws `too_large` if a file of this kind, null if unknown yet, exceeds its limit. */
export function assertSize(limits: SizeLimits, kind: MediaKind | null, bytes: number): void {
  const max = maxBytesFor(limits, kind);
  if (bytes <= max) return;
  const name = kind === null ? "A file" : names[kind];
  throw new AppError("too_large", `${name} can be at most ${max / mebibyte} MiB.`);
}
