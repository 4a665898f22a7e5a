import { AppError } from "../../../kit/errors.ts";
import { assertSize, type SizeLimits } from "../media-size.ts";
import { requireMedia, sniffLength } from "../media-type.ts";
import type { MediaKind } from "../schema.ts";

/** What determines whether a file is received completely. */
export interface UploadLimits extends SizeLimits {
  /** Why videos can't be accepted now, as a text for the owner; null if they can. */
  videoUnavailableReason(): string | null;
  /** Called once, when a file's type is known; throws `unavailable` if there's no place for it. */
  admit?(kind: MediaKind): void;
}

export function emptyFile(): AppError {
  const message = "The file is empty. Choose another.";
  return new AppError("validation_failed", message, { fields: { file: message } });
}

/** Inspects a file while it arrives: its first bytes determine its type and its size limit. */
export interface Inspection {
  /** The bytes inspected so far. */
  readonly bytes: number;
  /** Null until enough bytes have arrived. */
  readonly kind: MediaKind | null;
  /**
   * Inspects the next bytes; throws `unsupported_media_type` or `too_large` as soon as possible.
   */
  add(chunk: Uint8Array): void;
  /** Call at the end; also throws `validation_failed` for an empty file. */
  end(): void;
}

/**
 * Starts inspecting a file. `declared` is its size in bytes according to the sender, if known: an
 * image that is too large, or a video while videos can't be accepted (`unavailable`), is then
 * refused by its first bytes.
 */
export function inspectUpload(limits: UploadLimits, declared?: number): Inspection {
  const head = Buffer.alloc(sniffLength);
  let bytes = 0;
  let kind: MediaKind | null = null;
  const check = (expected: number) => assertSize(limits, kind, expected);
  const decide = () => {
    const found = requireMedia(head.subarray(0, Math.min(bytes, sniffLength))).kind;
    kind = found;
    const noVideos = found === "video" ? limits.videoUnavailableReason() : null;
    if (noVideos !== null) throw new AppError("unavailable", noVideos);
    check(Math.max(bytes, declared ?? 0));
    limits.admit?.(found);
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
