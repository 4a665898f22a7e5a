import type { Db } from "../../platform/db/connect.ts";
import { previewLifetimeMs, type SharedPreviews } from "../release/record-preview.ts";
import { deleteOldRefs, listRecentRefs, moveRef } from "./store.ts";

/** What precedes the ID of a preview. */
const prefix = "preview/";

/** Opens the previews of records that any node has made. */
export function makeSharedPreviews(db: Db): SharedPreviews {
  const list = () => listRecentRefs(db, prefix, previewLifetimeMs);
  return {
    async put(id, artifact) {
      await deleteOldRefs(db, prefix, previewLifetimeMs);
      await moveRef(db, { name: prefix + id, from: null, to: artifact });
    },
    async find(id) {
      return (await list()).find(({ name }) => name === prefix + id)?.objectId;
    },
    async artifacts() {
      return (await list()).map(({ objectId }) => objectId);
    },
  };
}
