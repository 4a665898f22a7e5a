import { sql } from "kysely";
import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { MediaVariant } from "./store.ts";

type Tables = {
  media: { id: number; src: string; poster: string | null; variants: string };
  media_restricted: { media_id: number };
};

/** The paths of a stored item's files. */
export interface MediaFilePaths {
  src: string;
  poster: string | null;
  variants: MediaVariant[];
  /** Of those who list them apart; here, they are among `variants`. */
  avif?: MediaVariant[];
}

/** Records that a restricted project has shown these items. */
export async function restrictMedia(db: Db, ids: Iterable<number>): Promise<void> {
  const rows = Array.from(new Set(ids), (media_id) => ({ media_id }));
  if (rows.length === 0) return;
  await db
    .withTables<Tables>()
    .insertInto("media_restricted")
    .values(rows)
    .onConflict((conflict) => conflict.column("media_id").doNothing())
    .execute();
}

interface FilesRow {
  src: string;
  poster: string | null;
  variants: string;
}

function fromRow({ src, poster, variants }: FilesRow): MediaFilePaths {
  return { src, poster, variants: parseJson(variants) as MediaVariant[] };
}

/** The items with one of these addresses as poster or variant; meant for a few addresses. */
export async function findMediaOfFiles(
  db: Db,
  addresses: Iterable<string>,
): Promise<MediaFilePaths[]> {
  const found: MediaFilePaths[] = [];
  for (const address of new Set(addresses)) {
    const rows = await db
      .withTables<Tables>()
      .selectFrom("media")
      .select(["src", "poster", "variants"])
      .where((eb) =>
        eb.or([
          eb("poster", "=", address),
          sql<boolean>`replace(variants, ${`"${address}"`}, '') <> variants`,
        ]),
      )
      .execute();
    found.push(...rows.map(fromRow));
  }
  return found;
}

/** Items that restricted projects show or have shown. */
export async function listRestrictedMedia(db: Db): Promise<MediaFilePaths[]> {
  const rows = await db
    .withTables<Tables>()
    .selectFrom("media")
    .innerJoin("media_restricted", "media_restricted.media_id", "media.id")
    .select(["src", "poster", "variants"])
    .execute();
  return rows.map(fromRow);
}
