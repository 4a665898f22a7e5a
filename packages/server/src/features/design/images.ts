import { open, realpath } from "node:fs/promises";
import { constants } from "node:fs";
import { extname, join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMedia, type Media } from "../media/store.ts";

/** Stored media as shown in a gallery. */
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

/** The source of images for the designer. */
export interface ImageReader {
  /** In the order of the IDs. Throws `validation_failed` with those that aren't stored. */
  find(ids: readonly number[]): Promise<DesignImage[]>;
  /** The bytes to look at: a small variant if there is one; the poster of a video. */
  read(image: DesignImage): Promise<ImageFile>;
}

/** The width at which images are viewed, in px: models don't see more detail in larger ones. */
const maxWidthPx = 1024;
const maxBytes = 4 * 1024 * 1024;

const types: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".png": "image/png",
};

/** The file to view: the largest size up to `maxWidthPx`, otherwise the smallest one. */
function addressOf({ kind, src, poster, variants, width }: DesignImage): string {
  const own = kind === "video" ? (poster ?? src) : src;
  if (width <= maxWidthPx && kind === "image") return own;
  const sorted = variants
    .filter((variant) => extname(variant.src) in types)
    .toSorted((one, other) => one.width - other.width);
  const fitting = sorted.findLast((variant) => variant.width <= maxWidthPx) ?? sorted[0];
  return fitting?.src ?? own;
}

/**
 * The stored images below `mediaRoot`, the folder that contains addresses such as
 * /media/2026/a.webp.
 */
export function makeImageReader({ db, mediaRoot }: { db: Db; mediaRoot: string }): ImageReader {
  async function readFile(address: string): Promise<Buffer> {
    const path = join(await realpath(mediaRoot), address);
    const isPlain = /^\/media\/\d{4}\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/.test(address);
    if (!isPlain || (await realpath(path)) !== path) throw new Error("this isn't a stored file");
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
