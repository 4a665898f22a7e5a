import { AppError } from "../../kit/errors.ts";
import type { Limits } from "../../platform/config.ts";
import type { MediaKind } from "./schema.ts";

export type SizeLimits = Pick<Limits["media"], "imageMiB" | "videoMiB">;

const mebibyte = 1024 * 1024;

/** The most that a file of this kind may have, in bytes; null for one whose kind nobody knows yet. */
export function maxBytesFor(limits: SizeLimits, kind: MediaKind | null): number {
  const image = limits.imageMiB * mebibyte;
  const video = limits.videoMiB * mebibyte;
  if (kind === null) return Math.max(image, video);
  return kind === "image" ? image : video;
}

const names = { image: "An image", video: "A video" };

/** Throws `too_large` for a file of this kind, null where nobody knows yet, with so many bytes. */
export function assertSize(limits: SizeLimits, kind: MediaKind | null, bytes: number): void {
  const max = maxBytesFor(limits, kind);
  if (bytes <= max) return;
  const name = kind === null ? "A file" : names[kind];
  throw new AppError("too_large", `${name} can be at most ${max / mebibyte} MiB.`);
}
