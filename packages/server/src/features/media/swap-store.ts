import type { Db } from "../../platform/db/connect.ts";
import {
  filesOf,
  findMedia,
  type FocalPoint,
  forgetFormerAddresses,
  isAvif,
  type Media,
  type MediaTable,
  type NewMedia,
  toTranscodedColumns,
  type TranscodedMedia,
  type Uncropped,
} from "./store.ts";

/** Replaces the properties of an item's files; the owner's texts stay. */
export async function replaceMedia(db: Db, id: number, media: TranscodedMedia): Promise<void> {
  const table = db.withTables<MediaTable>().updateTable("media");
  await table
    .set({ ...toTranscodedColumns(media), uncropped: null })
    .where("id", "=", id)
    .execute();
}

/** The files that an item gets instead of its own, with what goes with them. */
export interface MediaSwap extends TranscodedMedia {
  focalPoint: FocalPoint;
  uncropped: Uncropped | null;
  /** Of another file, if they aren't made of the same one. */
  file?: Pick<NewMedia, "originalName" | "originalBytes" | "sha256">;
}

/**
 * Gives an item other files under other addresses, and remembers those that it had. Its texts, and
 * what shows it, stay. False if the item has changed in the meantime.
 */
export async function swapMedia(db: Db, before: Media, swap: MediaSwap): Promise<boolean> {
  const { focalPoint, uncropped, file, ...made } = swap;
  const result = await db
    .withTables<MediaTable>()
    .updateTable("media")
    .set({
      ...toTranscodedColumns(made),
      focal_x: focalPoint.x,
      focal_y: focalPoint.y,
      uncropped: uncropped === null ? null : JSON.stringify(uncropped),
      ...(file && {
        original_name: file.originalName,
        original_bytes: file.originalBytes,
        sha256: file.sha256,
      }),
    })
    .where("id", "=", before.id)
    .where("src", "=", before.src)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0) return false;
  await forgetFormerAddresses(db, [...filesOf(made), ...filesOf(before)]);
  const copies = [...before.variants, ...before.avif].map(({ src, width }) => ({ src, width }));
  const poster = before.poster === null ? [] : [{ src: before.poster, width: before.width }];
  const rows = [...copies, ...poster].map(({ src, width }) => ({
    address: src,
    media_id: before.id,
    width,
    height: null,
  }));
  const { src: address, width, height } = before;
  await db
    .withTables<MediaTable>()
    .insertInto("media_former_address")
    .values([{ address, media_id: before.id, width, height }, ...rows])
    .execute();
  return true;
}

/** An address that an item had, with the size of the file; the height only of its main file. */
export interface FormerAddress {
  address: string;
  width: number;
  height: number | null;
  media: Media;
}

/** All former addresses, with the items as they are now. */
export async function listFormerAddresses(db: Db): Promise<FormerAddress[]> {
  const tables = db.withTables<MediaTable>();
  const rows = await tables.selectFrom("media_former_address").selectAll().execute();
  const media = new Map<number, Media>();
  for (const id of new Set(rows.map((row) => row.media_id))) {
    const found = await findMedia(db, id);
    if (found) media.set(id, found);
  }
  return rows.flatMap(({ address, width, height, media_id }) => {
    const item = media.get(media_id);
    return item ? [{ address, width, height, media: item }] : [];
  });
}

/** The address of the file that an item has instead of a former one. */
export function currentAddress(
  former: Pick<FormerAddress, "address" | "width" | "height">,
  media: Media,
): string {
  if (former.height !== null) return media.src;
  const isPoster = media.poster !== null && former.address.endsWith(".jpg");
  if (isPoster) return media.poster ?? media.src;
  const copies = isAvif(former.address) ? media.avif : media.variants;
  return copies.find(({ width }) => width === former.width)?.src ?? media.src;
}
