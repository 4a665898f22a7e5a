import type { ReactElement } from "react";

import type { MediaItem } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";

/** The parts of a stored file that a thumbnail needs. */
export type ImageSource = Pick<
  MediaItem,
  "src" | "kind" | "poster" | "placeholder" | "variants" | "width" | "height"
> &
  Partial<Pick<MediaItem, "focalPoint">>;

/**
 * Where the owner sees a stored file, even before it is in a release. Other addresses stay
 * unchanged.
 */
export function fileAddress(src: string): string {
  return src.replace(/^\/media\/(?=\d{4}\/[^/]+$)/, "/api/media/file/");
}

/** The smallest stored image that is at least `width` pixels wide, otherwise the largest. */
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

/** Where an image is cut, as a style. */
export const positionOf = ({ x, y }: MediaItem["focalPoint"]): string => `${x}% ${y}%`;

/** The size that a `focal-area` takes from its image, as a style. */
export const areaSize = ({ width, height }: Pick<MediaItem, "width" | "height">): object => ({
  "--image-width": `${width}px`,
  "--image-ratio": width / height,
});

export interface ThumbnailProps {
  media: ImageSource | null;
  /** The maximum displayed width in CSS pixels. */
  width?: number;
  /** Whether it fills its frame (cropped) or is shown completely. */
  fit?: "cover" | "contain";
}

/**
 * A thumbnail of a stored file in a frame with fixed proportions; for a video, its poster. A text
 * next to it describes it.
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
            // A placeholder would be visible through a partly transparent image.
            event.currentTarget.style.backgroundImage = "none";
          }}
          style={{
            ...(media.placeholder && { backgroundImage: `url("${media.placeholder}")` }),
            ...(media.focalPoint && { objectPosition: positionOf(media.focalPoint) }),
          }}
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
