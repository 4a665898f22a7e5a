import type { GalleryItem } from "./snapshot.ts";

/** What is shown until a picture is there; only a data address of an image is taken. */
export function placeholderOf({ placeholder }: GalleryItem): string | null {
  const isImage = /^data:image\/[a-z+]+;base64,[\w+/=]+$/.test(placeholder ?? "");
  return isImage ? placeholder : null;
}

/** The picture of the site's person, as content/about.json has it. */
export interface Portrait {
  src: string;
  /** The picture in smaller widths and as a whole, as in the attribute. */
  srcset?: string;
  alt: string;
  width: number;
  height: number;
  caption: string;
}

/** The widths of a portrait; one that doesn't name the picture itself is left over from another. */
export function widthsOf({ src, srcset }: Portrait): string | undefined {
  return srcset?.includes(`${src} `) ? srcset : undefined;
}
