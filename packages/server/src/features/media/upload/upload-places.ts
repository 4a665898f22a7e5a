import { AppError } from "../../../kit/errors.ts";
import type { MediaKind } from "../schema.ts";

/** Places for files that arrive or are processed, so that a full queue refuses before it receives. */
export interface UploadPlaces {
  /**
   * Takes a place for a file of this kind and returns what frees it again, once. Throws `unavailable`
   * with Retry-After if none is free.
   */
  take(kind: MediaKind): () => void;
}

const retryAfterSeconds = 10;

/** As many places for each kind as files of it can wait or be processed. */
export function makeUploadPlaces(sizes: Record<MediaKind, number>): UploadPlaces {
  const taken: Record<MediaKind, number> = { image: 0, video: 0 };
  return {
    take(kind) {
      if (taken[kind] >= sizes[kind]) {
        const message = `Too many ${kind}s are being processed. Try again in a moment.`;
        const headers = { "retry-after": `${retryAfterSeconds}` };
        throw new AppError("unavailable", message, { headers });
      }
      taken[kind] += 1;
      let isFree = false;
      return () => {
        if (!isFree) taken[kind] -= 1;
        isFree = true;
      };
    },
  };
}
