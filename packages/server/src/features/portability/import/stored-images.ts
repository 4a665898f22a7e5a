import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Db } from "../../../platform/db/connect.ts";
import { exists } from "../../../platform/files.ts";
import { findMediaByHash, listMedia, type Media } from "../../media/store.ts";
import type { SourceMediaFile } from "./media-files.ts";

/** A stored image: its address, alt text, and sizes. */
export type StoredImage = Pick<Media, "src" | "alt" | "width" | "height" | "variants">;

/** A placeholder address for a file that isn't stored yet; no stored file has it. */
const unknownAddress = (path: string) =>
  `/media/0000/${Buffer.from(path).toString("hex").slice(0, 80) || "0"}.new`;

/** The placeholder for an image that isn't stored yet. */
export function placeholderImage(path: string): StoredImage {
  return { src: unknownAddress(path), alt: "", width: 0, height: 0, variants: [] };
}

/** The already stored images, by uploaded file. */
export async function findUploadedImages(
  db: Db,
  images: ReadonlyMap<string, SourceMediaFile>,
): Promise<Map<string, Media>> {
  const stored = new Map<string, Media>();
  for (const { path, sha256 } of images.values()) {
    const media = await findMediaByHash(db, sha256);
    if (media !== undefined) stored.set(path, media);
  }
  return stored;
}

async function hashOf(file: string): Promise<string | null> {
  if (!(await exists(file))) return null;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/**
 * The images that are, byte for byte, files that the library serves: an export contains those, and
 * storing them like uploads would convert them again. `mediaRoot` is the folder of the library's
 * addresses. Returns the items by path.
 */
export async function findServedImages(
  db: Db,
  images: readonly SourceMediaFile[],
  mediaRoot: string,
): Promise<Map<string, Media>> {
  const found = new Map<string, Media>();
  if (images.length === 0) return found;
  const { items } = await listMedia(db, { limit: 2_147_483_647, offset: 0 });
  const bySize = Map.groupBy(items, ({ bytes }) => bytes);
  for (const { path, bytes, sha256 } of images) {
    for (const media of bySize.get(bytes) ?? []) {
      if ((await hashOf(join(mediaRoot, media.src))) !== sha256) continue;
      found.set(path, media);
      break;
    }
  }
  return found;
}
