import type { GalleryItem } from "./snapshot.ts";

/** What is shown until a picture is there; only a data address of an image is taken. */
export function placeholderOf({ placeholder }: GalleryItem): string | null {
  const isImage = /^data:image\/[a-z+]+;base64,[\w+/=]+$/.test(placeholder ?? "");
  return isImage ? placeholder : null;
}
