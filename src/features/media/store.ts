import type { Generated, Insertable, Selectable } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";

type MediaTable = {
  media: {
    id: Generated<number>;
    kind: "image" | "video";
    src: string;
    original_name: string;
    mime: string;
    bytes: number;
    original_bytes: number;
    width: number;
    height: number;
    duration: number | null;
    has_alpha: number;
    animated: number;
    poster: string | null;
    placeholder: string | null;
    variants: string;
    sha256: string;
    alt: string;
    created_at: string;
  };
};

export interface MediaVariant {
  src: string;
  width: number;
  bytes: number;
}

/** A stored picture or film. Sizes in pixels and bytes, `duration` in seconds, films only. */
export interface NewMedia {
  kind: "image" | "video";
  /** `/media/<yyyy>/<sha256 prefix>-<slug>.<ext>` */
  src: string;
  originalName: string;
  mime: string;
  bytes: number;
  originalBytes: number;
  width: number;
  height: number;
  duration: number | null;
  hasAlpha: boolean;
  animated: boolean;
  poster: string | null;
  placeholder: string | null;
  variants: MediaVariant[];
  /** Of the file as it was uploaded: the same file twice is one item. */
  sha256: string;
  alt: string;
  createdAt: string;
}

export interface Media extends NewMedia {
  id: number;
}

type MediaRow = MediaTable["media"];

function toRow(media: NewMedia): Insertable<MediaRow> {
  const { originalName, originalBytes, hasAlpha, animated, variants, createdAt, ...same } = media;
  return {
    ...same,
    original_name: originalName,
    original_bytes: originalBytes,
    has_alpha: hasAlpha ? 1 : 0,
    animated: animated ? 1 : 0,
    variants: JSON.stringify(variants),
    created_at: createdAt,
  };
}

function fromRow(row: Selectable<MediaRow>): Media {
  const { original_name, original_bytes, has_alpha, animated, variants, created_at, ...same } = row;
  return {
    ...same,
    originalName: original_name,
    originalBytes: original_bytes,
    hasAlpha: has_alpha === 1,
    animated: animated === 1,
    variants: parseJson(variants) as MediaVariant[],
    createdAt: created_at,
  };
}

/** Stores an item; false when its file, by content or by address, is stored already. */
export async function insertMedia(db: Db, media: NewMedia): Promise<boolean> {
  const result = await db
    .withTables<MediaTable>()
    .insertInto("media")
    .values(toRow(media))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** The stored items among these addresses, by address. */
export async function findMediaBySrc(db: Db, srcs: Iterable<string>): Promise<Map<string, Media>> {
  const wanted = [...new Set(srcs)];
  const found = new Map<string, Media>();
  for (let i = 0; i < wanted.length; i += 1000) {
    const rows = await db
      .withTables<MediaTable>()
      .selectFrom("media")
      .selectAll()
      .where("src", "in", wanted.slice(i, i + 1000))
      .execute();
    for (const row of rows) found.set(row.src, fromRow(row));
  }
  return found;
}
