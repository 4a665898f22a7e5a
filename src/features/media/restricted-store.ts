import { parseJson } from "../../kit/json.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { MediaVariant } from "./store.ts";

type Tables = {
  media: { id: number; src: string; poster: string | null; variants: string };
  media_restricted: { media_id: number };
};

/** Where the files of a stored item are. */
export interface MediaFiles {
  src: string;
  poster: string | null;
  variants: MediaVariant[];
}

/** Remembers that a project has shown these items which is not for everybody. */
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

/** What projects that are not for everybody show, or have shown. */
export async function listRestrictedMedia(db: Db): Promise<MediaFiles[]> {
  const rows = await db
    .withTables<Tables>()
    .selectFrom("media")
    .innerJoin("media_restricted", "media_restricted.media_id", "media.id")
    .select(["src", "poster", "variants"])
    .execute();
  return rows.map(({ src, poster, variants }) => {
    return { src, poster, variants: parseJson(variants) as MediaVariant[] };
  });
}
