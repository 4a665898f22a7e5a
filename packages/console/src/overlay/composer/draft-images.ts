import type { Attachment } from "../../api/types.ts";

/** A picture is to stand on the page, or only to be looked at. */
export type ImageUse = "page" | "reference";

/** A picture that goes along; without an id it has not arrived yet. */
export interface DraftImage {
  key: string;
  name: string;
  use: ImageUse;
  /** What it shows, for who does not see it. */
  alt: string;
  /** A small picture as a data address, or the address of a stored one. */
  thumb: string | null;
  /** In the library, with its address; kept when its use changes, so that it can change back. */
  mediaId: number | null;
  src: string | null;
  referenceId: string | null;
}

/** The most pictures that go along; the server's own bound. */
export const maxImages = 10;

/** Whether a picture has arrived where its use puts it. */
export function isUploaded(image: DraftImage): boolean {
  return (image.use === "page" ? image.mediaId : image.referenceId) !== null;
}

/** The pictures as the server takes them; those that have not arrived are left out. */
export function attachmentsOf(images: readonly DraftImage[]): Attachment[] {
  return images.flatMap(({ use, mediaId, referenceId }): Attachment[] => {
    if (use === "page") return mediaId === null ? [] : [{ use, mediaId }];
    return referenceId === null ? [] : [{ use, referenceId }];
  });
}
