import type { Db } from "../../platform/db/connect.ts";
import { fromRow, type Media, type MediaTable } from "./store.ts";

/** All items, by their IDs. */
export async function listAllMedia(db: Db): Promise<Media[]> {
  const table = db.withTables<MediaTable>().selectFrom("media");
  return (await table.selectAll().orderBy("id").execute()).map(fromRow);
}
