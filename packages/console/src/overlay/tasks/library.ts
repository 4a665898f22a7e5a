import type { ListedMedia } from "../../../../server/src/features/media/schema.ts";
import type { Client } from "../../api/client.ts";
import type { Page } from "../../api/types.ts";

/** A stored picture, as far as choosing one needs it. */
export type LibraryImage = Pick<ListedMedia, "id" | "src" | "alt" | "originalName" | "variants">;

/** A page of the stored pictures, the newest first. Rejects with an ApiError. */
export function listImages(
  { get }: Client,
  page: number,
  perPage: number,
): Promise<Page<LibraryImage>> {
  return get("/api/media/list", { kind: "image", page, perPage });
}

/** Where the owner sees the smallest stored size of a picture, also before it is live. */
export function imageUrl({ src, variants }: Pick<LibraryImage, "src" | "variants">): string {
  const [smallest] = variants.toSorted((one, other) => one.width - other.width);
  return (smallest?.src ?? src).replace(/^\/media\/(?=\d{4}\/[^/]+$)/, "/api/media/file/");
}
