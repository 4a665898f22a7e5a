import type { Db } from "../../platform/db/connect.ts";
import {
  type AvifState,
  fromRow,
  type Media,
  type MediaTable,
  type MediaVariant,
} from "./store.ts";

/** The newest images that still need AVIF variants, or whose variants aren't on the site yet. */
export async function listMediaByAvif(
  db: Db,
  state: Exclude<AvifState, "done">,
  limit: number,
): Promise<Media[]> {
  const table = db.withTables<MediaTable>().selectFrom("media").selectAll();
  const query = table.where("avif_state", "<>", "done").where("avif_state", "=", state);
  return (await query.orderBy("id", "desc").limit(limit).execute()).map(fromRow);
}

/** Stores an image's AVIF variants, none if they wouldn't be smaller; false if it has changed. */
export async function saveAvif(db: Db, media: Media, avif: MediaVariant[]): Promise<boolean> {
  const result = await db
    .withTables<MediaTable>()
    .updateTable("media")
    .set({
      variants: JSON.stringify([...media.variants, ...avif]),
      avif_state: avif.length > 0 ? "unreleased" : "done",
    })
    .where("id", "=", media.id)
    .where("src", "=", media.src)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Marks AVIF variants that a build is going to bring to the site. */
export async function markAvifReleased(db: Db, ids: readonly number[]): Promise<void> {
  const table = db.withTables<MediaTable>().updateTable("media").set({ avif_state: "done" });
  await table.where("id", "in", ids).where("avif_state", "=", "unreleased").execute();
}
