import type { Db } from "../../platform/db/connect.ts";
import { previewLifetimeMs, type SharedPreviews } from "../release/record-preview.ts";
import { findRecentRef, keepNewestRefs, listRecentRefs, putRef } from "./store.ts";

/** What precedes the ID of a preview. */
const prefix = "preview/";
/** Of all nodes together. */
const maxPreviews = 100;

/** Opens the previews of records that any node has made: the newest 100 of twelve hours. */
export function makeSharedPreviews(db: Db): SharedPreviews {
  return {
    async put(id, artifact) {
      await putRef(db, prefix + id, artifact);
      await keepNewestRefs(db, prefix, { maxAgeMs: previewLifetimeMs, count: maxPreviews });
    },
    find: (id) => findRecentRef(db, prefix + id, previewLifetimeMs),
    async artifacts() {
      const refs = await listRecentRefs(db, prefix, previewLifetimeMs);
      return refs.map(({ objectId }) => objectId);
    },
  };
}
