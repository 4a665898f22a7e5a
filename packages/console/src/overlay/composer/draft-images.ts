import type { Attachment } from "../../api/types.ts";

/** Whether an image is for the page, or only for viewing. */
export type ImageUse = "page" | "reference";

/** An attached image; without an ID, it isn't uploaded yet. */
export interface DraftImage {
  key: string;
  name: string;
  use: ImageUse;
  /** Its alt text. */
  alt: string;
  /** A thumbnail as a data URL, or the address of a stored one. */
  thumb: string | null;
  /** Its ID and address in the library; kept when its use changes, so that it can change back. */
  mediaId: number | null;
  src: string | null;
  referenceId: string | null;
}

/** Maximum attached images, as on the server. */
export const maxImages = 10;

/** Whether an image has been uploaded for its use. */
export function isUploaded(image: DraftImage): boolean {
  return (image.use === "page" ? image.mediaId : image.referenceId) !== null;
}

/** The images in the server's format, without unfinished uploads. */
export function attachmentsOf(images: readonly DraftImage[]): Attachment[] {
  return images.flatMap(({ use, mediaId, referenceId }): Attachment[] => {
    if (use === "page") return mediaId === null ? [] : [{ use, mediaId }];
    return referenceId === null ? [] : [{ use, referenceId }];
  });
}
