import type { ReactElement } from "react";

import type { MediaItem } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";

/** Of a stored file, what a small picture of it needs. */
export type ImageSource = Pick<
  MediaItem,
  "src" | "kind" | "poster" | "placeholder" | "variants" | "width" | "height"
>;

/**
 * Where the owner sees a stored file, also before the release that carries it. An address that is
 * not one of a stored file stays as it is.
 */
export function fileAddress(src: string): string {
  return src.replace(/^\/media\/(?=\d{4}\/[^/]+$)/, "/api/media/file/");
}

/** The smallest stored picture that is at least `width` pixels wide, else the largest. */
export function imageFor(media: ImageSource, width: number): string | null {
  if (media.kind === "video") return media.poster;
  const fitting = media.variants
    .filter((variant) => variant.width >= width)
    .reduce<(typeof media.variants)[number] | null>(
      (best, variant) => (best === null || variant.width < best.width ? variant : best),
      null,
    );
  return fitting?.src ?? media.src;
}

export interface ThumbnailProps {
  media: ImageSource | null;
  /** The width in CSS pixels that it is shown at, at most. */
  width?: number;
  /** Fills its frame (cut off) or is wholly seen. */
  fit?: "cover" | "contain";
}

/**
 * A small picture of a stored file in a frame of fixed proportions; a film shows its poster. What it
 * shows is said beside it.
 */
export function Thumbnail(props: ThumbnailProps): ReactElement {
  const { media, width = 240, fit = "cover" } = props;
  const source = media && imageFor(media, width * 2 > 480 ? width * 2 : 480);
  return (
    <span className={`thumbnail ${fit}`}>
      {media && source ? (
        <img
          src={fileAddress(source)}
          alt=""
          width={media.width}
          height={media.height}
          loading="lazy"
          decoding="async"
          onLoad={(event) => {
            // A placeholder would shine through a picture that is partly transparent.
            event.currentTarget.style.backgroundImage = "none";
          }}
          style={media.placeholder ? { backgroundImage: `url("${media.placeholder}")` } : undefined}
        />
      ) : (
        <Icon name={media?.kind === "video" ? "video" : "image"} />
      )}
      {media?.kind === "video" && (
        <span className="thumbnail-kind">
          <Icon name="play" />
          <span className="unseen">Video</span>
        </span>
      )}
    </span>
  );
}
