import { open, realpath } from "node:fs/promises";
import { constants } from "node:fs";
import { extname, join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMedia, type Media } from "../media/store.ts";

/** Stored media as a gallery shows them. */
export type DesignImage = Pick<
  Media,
  | "id"
  | "kind"
  | "src"
  | "mime"
  | "originalName"
  | "alt"
  | "poster"
  | "variants"
  | "width"
  | "bytes"
>;

export interface ImageFile {
  mediaType: string;
  bytes: Uint8Array;
}

/** Where the designer gets images from. */
export interface ImageReader {
  /** In the order of the ids. Throws `validation_failed` naming those that are not stored. */
  find(ids: readonly number[]): Promise<DesignImage[]>;
  /** What is looked at of an item: small where there is a small one, of a video its poster. */
  read(image: DesignImage): Promise<ImageFile>;
}

/** How wide an image is looked at, in px: what a model sees of larger ones is no more. */
const maxWidthPx = 1024;
const maxBytes = 4 * 1024 * 1024;

const types: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".png": "image/png",
};

/** The file to look at: the largest of its sizes up to `maxWidthPx`, else the smallest there is. */
function addressOf({ kind, src, poster, variants, width }: DesignImage): string {
  const own = kind === "video" ? (poster ?? src) : src;
  if (width <= maxWidthPx && kind === "image") return own;
  const sorted = variants
    .filter((variant) => extname(variant.src) in types)
    .toSorted((one, other) => one.width - other.width);
  const fitting = sorted.findLast((variant) => variant.width <= maxWidthPx) ?? sorted[0];
  return fitting?.src ?? own;
}

/** The stored images below `mediaRoot`, the folder that addresses such as /media/2026/a.webp start in. */
export function makeImageReader({ db, mediaRoot }: { db: Db; mediaRoot: string }): ImageReader {
  async function readFile(address: string): Promise<Buffer> {
    const path = join(await realpath(mediaRoot), address);
    const isPlain = /^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/.test(address);
    if (!isPlain || (await realpath(path)) !== path) throw new Error("this is no stored file");
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const info = await file.stat();
      if (!info.isFile() || info.size > maxBytes)
        throw new Error("this isn't an image that can be shown");
      return await file.readFile();
    } finally {
      await file.close();
    }
  }
  return {
    async find(ids) {
      const found = await Promise.all(ids.map((id) => findMedia(db, id)));
      const fields = Object.fromEntries(
        found.flatMap((media, i) => (media ? [] : [[`media.${i}`, "must name a stored file"]])),
      );
      if (Object.keys(fields).length > 0) {
        throw new AppError("validation_failed", "Some images are no longer stored.", {
          fields,
        });
      }
      return found.filter((media) => media !== undefined);
    },
    async read(image) {
      const address = addressOf(image);
      const mediaType = types[extname(address)];
      if (mediaType === undefined) throw new Error("this isn't an image that can be shown");
      return { mediaType, bytes: await readFile(address) };
    },
  };
}
