import { type Generated, type Insertable, type Selectable, sql } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";

/**
 * Whether an image has its AVIF variants: `pending` until they are made, then `unreleased` until the
 * site is rebuilt with them.
 */
export type AvifState = "pending" | "unreleased" | "done";

export type MediaTable = {
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
    is_decorative: Generated<number>;
    focal_x: Generated<number>;
    focal_y: Generated<number>;
    avif_state: Generated<AvifState>;
    uncropped: string | null;
    created_at: string;
  };
  media_former_address: FormerAddressRow;
};

export interface FormerAddressRow {
  address: string;
  media_id: number;
  width: number;
  height: number | null;
}

/** Tables written by `projects` and read here to find who uses a file. */
type UseTables = {
  project_media: { project_id: number; media_id: number };
  project: { id: number; name: string };
};

export interface MediaVariant {
  src: string;
  width: number;
  bytes: number;
}

/**
 * The properties of a stored item's files. Sizes in pixels and bytes; `duration` in seconds, only
 * for videos.
 */
export interface TranscodedMedia {
  kind: "image" | "video";
  /** `/media/<yyyy>/<sha256 prefix>-<slug>.<ext>` */
  src: string;
  mime: string;
  bytes: number;
  width: number;
  height: number;
  duration: number | null;
  hasAlpha: boolean;
  animated: boolean;
  poster: string | null;
  placeholder: string | null;
  /** WebP, smallest first, usually narrower than the image. */
  variants: MediaVariant[];
  /** AVIF, smallest first, up to the image's own width; empty until they are made. */
  avif?: MediaVariant[];
}

/** The addresses of all files of an item. */
export function filesOf({
  src,
  poster,
  variants,
  avif = [],
}: Pick<TranscodedMedia, "src" | "poster" | "variants" | "avif">): string[] {
  const copies = [...variants, ...avif].map((variant) => variant.src);
  return [src, ...(poster === null ? [] : [poster]), ...copies];
}

/** What stays visible where an image is cut, in percent from the left and from the top: 0 to 100. */
export interface FocalPoint {
  x: number;
  y: number;
}

/** A part of an image, in pixels. */
export interface CropArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What an image was before it was cut, and the area of it that it shows now. */
export interface Uncropped {
  media: TranscodedMedia;
  focalPoint: FocalPoint;
  crop: CropArea;
}

/** Whether a focal point is where images without one are cut. */
export const isCentered = ({ x, y }: FocalPoint): boolean => x === 50 && y === 50;

/** An image or video to store: its files, and the texts of its owner and the upload. */
export interface NewMedia extends TranscodedMedia {
  originalName: string;
  originalBytes: number;
  /** Of the uploaded file: the same file twice is one item. */
  sha256: string;
  alt: string;
  /** Whether it is decorative; defaults to false. */
  isDecorative?: boolean;
  /** Defaults to the center. */
  focalPoint?: FocalPoint;
  createdAt: string;
}

export interface Media extends NewMedia {
  id: number;
  isDecorative: boolean;
  focalPoint: FocalPoint;
  avif: MediaVariant[];
  uncropped: Uncropped | null;
}

type MediaRow = MediaTable["media"];

/** An item's files as columns. */
export function toTranscodedColumns<M extends TranscodedMedia>({
  hasAlpha,
  animated,
  variants,
  avif = [],
  ...same
}: M) {
  const all = [...variants, ...avif];
  const isWithout = same.kind === "video" || animated || all.some(({ src }) => isAvif(src));
  return {
    ...same,
    has_alpha: hasAlpha ? 1 : 0,
    animated: animated ? 1 : 0,
    // In one list, so that whatever has to know all files of an item does.
    variants: JSON.stringify(all),
    avif_state: isWithout ? ("done" as const) : ("pending" as const),
  };
}

function toRow(media: NewMedia): Insertable<MediaRow> {
  const { originalName, originalBytes, createdAt, isDecorative = false, ...rest } = media;
  const { focalPoint = { x: 50, y: 50 }, ...made } = rest;
  return {
    focal_x: focalPoint.x,
    focal_y: focalPoint.y,
    is_decorative: isDecorative ? 1 : 0,
    ...toTranscodedColumns(made),
    original_name: originalName,
    original_bytes: originalBytes,
    created_at: createdAt,
  };
}

export const isAvif = (src: string): boolean => src.endsWith(".avif");

export function fromRow(row: Selectable<MediaRow>): Media {
  const { original_name, original_bytes, has_alpha, animated, variants, created_at, ...rest } = row;
  const { is_decorative, focal_x, focal_y, avif_state: _state, uncropped, ...same } = rest;
  const all = parseJson(variants) as MediaVariant[];
  return {
    focalPoint: { x: focal_x, y: focal_y },
    isDecorative: is_decorative === 1,
    ...same,
    originalName: original_name,
    originalBytes: original_bytes,
    hasAlpha: has_alpha === 1,
    animated: animated === 1,
    variants: all.filter(({ src }) => !isAvif(src)),
    avif: all.filter(({ src }) => isAvif(src)),
    uncropped: uncropped === null ? null : (parseJson(uncropped) as Uncropped),
    createdAt: created_at,
  };
}

/** Inserts an item; false if its content or its address is stored already. */
export async function insertMedia(db: Db, media: NewMedia): Promise<boolean> {
  const result = await db
    .withTables<MediaTable>()
    .insertInto("media")
    .values(toRow(media))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const isNew = Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
  if (isNew) await forgetFormerAddresses(db, filesOf(media));
  return isNew;
}

/** Forgets that files with these addresses were others'. */
export async function forgetFormerAddresses(db: Db, addresses: string[]): Promise<void> {
  const table = db.withTables<MediaTable>().deleteFrom("media_former_address");
  await table.where("address", "in", addresses).execute();
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

/** The addresses that an image can have whose smaller copy this is: copies are named after it. */
function possibleOriginals(copy: string): string[] {
  const [, stem] = /^(\/media\/\d{4}\/.+)-\d{1,5}\.(?:webp|avif)$/.exec(copy) ?? [];
  return stem === undefined ? [] : [`${stem}.jpg`, `${stem}.webp`];
}

/** The stored items that have these addresses as a smaller copy, by the copy's address. */
export async function findMediaByCopy(
  db: Db,
  copies: Iterable<string>,
): Promise<Map<string, Media>> {
  const wanted = new Set(copies);
  const found = await findMediaBySrc(db, [...wanted].flatMap(possibleOriginals));
  return new Map(
    [...found.values()].flatMap((media) =>
      [...media.variants, ...media.avif]
        .filter(({ src }) => wanted.has(src))
        .map(({ src }) => [src, media] as const),
    ),
  );
}

/** The item with this id. */
export async function findMedia(db: Db, id: number): Promise<Media | undefined> {
  const table = db.withTables<MediaTable>().selectFrom("media");
  const row = await table.selectAll().where("id", "=", id).executeTakeFirst();
  return row && fromRow(row);
}

/** The item made from the file with this SHA-256, 64 hex digits. */
export async function findMediaByHash(db: Db, sha256: string): Promise<Media | undefined> {
  const table = db.withTables<MediaTable>().selectFrom("media");
  const row = await table.selectAll().where("sha256", "=", sha256).executeTakeFirst();
  return row && fromRow(row);
}

export type MediaSort = "newest" | "oldest" | "name" | "size";

/** The first criterion of each order, and the order of IDs among equals; size: largest first. */
const orders = {
  newest: [sql`created_at`, "desc"],
  oldest: [sql`created_at`, "asc"],
  name: [sql`lower(original_name)`, "asc"],
  size: [sql`bytes`, "desc"],
} as const;

export interface MediaQuery {
  /** Words that must all occur in the name, the alt text, or the address. */
  q?: string | undefined;
  kind?: "image" | "video" | undefined;
  /** Only images without an alt text that aren't marked as decorative. */
  isAltMissing?: boolean | undefined;
  /** Defaults to `newest`. */
  sort?: MediaSort | undefined;
  limit: number;
  offset: number;
}

/**
 * Items in the order of `sort`, `limit` of them after `offset`, and the total number of matches.
 * SQLite's `lower` supports only ASCII.
 */
export async function listMedia(
  db: Db,
  query: MediaQuery,
): Promise<{ items: Media[]; total: number }> {
  let table = db.withTables<MediaTable>().selectFrom("media");
  if (query.kind !== undefined) table = table.where("kind", "=", query.kind);
  if (query.isAltMissing) {
    table = table.where("kind", "=", "image").where("alt", "=", "").where("is_decorative", "=", 0);
  }
  for (const word of (query.q ?? "").split(/\s+/).filter(Boolean)) {
    const pattern = `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const text = sql<string>`lower(original_name || ' ' || alt || ' ' || src)`;
    table = table.where(sql<boolean>`${text} like lower(${pattern}) escape '\\'`);
  }
  const { total } = await table
    .select((expression) => expression.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const [criterion, direction] = orders[query.sort ?? "newest"];
  const rows = await table
    .selectAll()
    .orderBy(criterion, direction)
    .orderBy("id", direction)
    .limit(query.limit)
    .offset(query.offset)
    .execute();
  return { items: rows.map(fromRow), total: Number(total) };
}

/** The projects whose galleries contain these items, by item ID, sorted by name. */
export async function usesOfMedia(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, { id: number; name: string }[]>> {
  const uses = new Map<number, { id: number; name: string }[]>();
  for (let i = 0; i < ids.length; i += 1000) {
    const rows = await db
      .withTables<UseTables>()
      .selectFrom("project_media")
      .innerJoin("project", "project.id", "project_media.project_id")
      .select(["project_media.media_id as media", "project.id as id", "project.name as name"])
      .where("project_media.media_id", "in", ids.slice(i, i + 1000))
      .orderBy("project.name")
      .orderBy("project.id")
      .execute();
    for (const { media, id, name } of rows) {
      uses.set(media, [...(uses.get(media) ?? []), { id, name }]);
    }
  }
  return uses;
}

/** Changes what the owner can edit; false if there is no item with this ID. */
export async function updateMedia(
  db: Db,
  change: {
    id: number;
    alt?: string | undefined;
    originalName?: string | undefined;
    isDecorative?: boolean | undefined;
    focalPoint?: FocalPoint | undefined;
  },
): Promise<boolean> {
  const values = {
    ...(change.alt === undefined ? {} : { alt: change.alt }),
    ...(change.originalName === undefined ? {} : { original_name: change.originalName }),
    ...(change.isDecorative === undefined ? {} : { is_decorative: change.isDecorative ? 1 : 0 }),
    ...(change.focalPoint && { focal_x: change.focalPoint.x, focal_y: change.focalPoint.y }),
  };
  // With the ID, so that it is a valid statement without changes, too.
  const row = { id: change.id, ...values };
  const result = await db
    .withTables<MediaTable>()
    .updateTable("media")
    .set(row)
    .where("id", "=", change.id)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
