import type { StoredImage } from "./snapshot.ts";

/** What is shown until an image is there; only a data address of an image is taken. */
export function placeholderOf({ placeholder }: Pick<StoredImage, "placeholder">): string | null {
  const isImage = /^data:image\/[a-z+]+;base64,[\w+/=]+$/.test(placeholder ?? "");
  return isImage ? placeholder : null;
}

/** The files that a browser may choose from; nothing but the image itself where there are no others. */
export function sourcesOf(
  { src, width, variants: all }: Pick<StoredImage, "src" | "width" | "variants">,
  sizes: string,
): { src: string; srcset?: string; sizes?: string } {
  const variants = all.filter((variant) => variant.width < width);
  // A browser without srcset gets the middle one; all others choose for themselves.
  const middle = variants[Math.floor(variants.length / 2)];
  if (middle === undefined) return { src };
  const set = [...variants, { src, width }].map((each) => `${each.src} ${each.width}w`);
  return { src: middle.src, srcset: set.join(", "), sizes };
}

/** The lighter files for browsers that can show AVIF, as attributes of `<source>`; null for none. */
export function avifSourceOf(
  { avif = [] }: Pick<StoredImage, "avif">,
  sizes: string,
): { type: string; srcset: string; sizes: string } | null {
  if (avif.length === 0) return null;
  const srcset = avif.map((each) => `${each.src} ${each.width}w`).join(", ");
  return { type: "image/avif", srcset, sizes };
}

/** The image of the site's person, as content/about.json has it. */
export interface Portrait {
  src: string;
  /** The image in smaller widths and as a whole, as in the attribute. */
  srcset?: string;
  alt: string;
  width: number;
  height: number;
  caption: string;
}

/** The widths of a portrait; one that doesn't name the image itself is left over from another. */
export function widthsOf({ src, srcset }: Portrait): string | undefined {
  return srcset?.includes(`${src} `) ? srcset : undefined;
}
