import { AppError } from "../../../kit/errors.ts";
import { assertSize, type SizeLimits } from "../media-size.ts";
import { requireMedia, sniffLength } from "../media-type.ts";
import type { MediaKind } from "../schema.ts";

/** What decides whether a file is received to its end. */
export interface UploadLimits extends SizeLimits {
  /** Why no video can be taken now, in words for the owner; null when one can. */
  videoUnavailableReason(): string | null;
}

export function emptyFile(): AppError {
  const message = "The file is empty.";
  return new AppError("validation_failed", message, { fields: { file: message } });
}

/** Looks at a file while it arrives: its first bytes decide what it is and how long it may become. */
export interface Inspection {
  /** How much of the file has been seen. */
  readonly bytes: number;
  /** Null until enough has come to tell. */
  readonly kind: MediaKind | null;
  /** Takes the next bytes; throws `unsupported_media_type` or `too_large` once that is plain. */
  add(chunk: Uint8Array): void;
  /** Says that this was all; throws also `validation_failed` for a file without a byte. */
  end(): void;
}

/**
 * Begins to inspect a file. `declared` is how long its sender says that it is, in bytes, where the
 * sender says so: an image that will be too large is then refused by its first bytes, like a video
 * (`unavailable`) where none can be taken.
 */
export function inspectUpload(limits: UploadLimits, declared?: number): Inspection {
  const head = Buffer.alloc(sniffLength);
  let bytes = 0;
  let kind: MediaKind | null = null;
  const check = (expected: number) => assertSize(limits, kind, expected);
  const decide = () => {
    ({ kind } = requireMedia(head.subarray(0, Math.min(bytes, sniffLength))));
    const noVideos = kind === "video" ? limits.videoUnavailableReason() : null;
    if (noVideos !== null) throw new AppError("unavailable", noVideos);
    check(Math.max(bytes, declared ?? 0));
  };
  check(declared ?? 0);
  return {
    get bytes() {
      return bytes;
    },
    get kind() {
      return kind;
    },
    add(chunk) {
      if (bytes < sniffLength) head.set(chunk.subarray(0, sniffLength - bytes), bytes);
      bytes += chunk.length;
      check(bytes);
      if (kind === null && bytes >= sniffLength) decide();
    },
    end() {
      if (bytes === 0) throw emptyFile();
      if (kind === null) decide();
    },
  };
}
