import type { MediaItem } from "../../api/types.ts";
import { formatDuration, formatSize } from "../../ui/format.ts";

/** A short description of a stored file: kind, dimensions, duration, size. */
export function mediaDetails(item: MediaItem): string {
  const { kind, animated, duration, width, height, bytes } = item;
  return [
    kind === "video" ? "Video" : animated ? "Animated image" : "Image",
    `${width} × ${height}`,
    duration === null ? "" : formatDuration(duration),
    formatSize(bytes),
  ]
    .filter(Boolean)
    .join(" · ");
}
