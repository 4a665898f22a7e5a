import type { ListedMedia } from "../../../src/features/media/schema.ts";
import { makeRequests } from "../api.ts";
import type { Page } from "../types.ts";

/** A stored picture, as far as choosing one needs it. */
export type LibraryPicture = Pick<ListedMedia, "id" | "src" | "alt" | "originalName" | "variants">;

/** A page of the stored pictures, the newest first. Rejects with an ApiError. */
export function listPictures(
  fetch: typeof globalThis.fetch,
  page: number,
  perPage: number,
): Promise<Page<LibraryPicture>> {
  const { get } = makeRequests(fetch, "/api/media");
  return get(`/list?kind=image&page=${page}&perPage=${perPage}`);
}

/** Where the owner sees the smallest stored size of a picture, also before it is live. */
export function addressOf({ src, variants }: Pick<LibraryPicture, "src" | "variants">): string {
  const [smallest] = variants.toSorted((one, other) => one.width - other.width);
  return (smallest?.src ?? src).replace(/^\/media\/(?=\d{4}\/[^/]+$)/, "/api/media/file/");
}
