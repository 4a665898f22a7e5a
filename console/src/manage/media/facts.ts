import type { MediaItem } from "../types.ts";
import { durationWords, sizeWords } from "../words.ts";

/** What a stored file is, in a few words: kind, size in pixels, length, weight. */
export function mediaFacts(item: MediaItem): string {
  const { kind, animated, duration, width, height, bytes } = item;
  return [
    kind === "video" ? "Film" : animated ? "Animated picture" : "Picture",
    `${width} × ${height}`,
    duration === null ? "" : durationWords(duration),
    sizeWords(bytes),
  ]
    .filter(Boolean)
    .join(" · ");
}
