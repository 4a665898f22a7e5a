import type { Db } from "../../platform/db/connect.ts";
import { findRecentRef, putRef } from "./store.ts";

const name = "owner-seen";

/** Whether the owner was lately seen by any node: the requests of one console go to all of them. */
export interface SharedPresence {
  /** Tells the other nodes that the owner is present now. */
  put(): Promise<void>;
  isSeenWithin(ms: number): Promise<boolean>;
}

export function makeSharedPresence(db: Db): SharedPresence {
  return {
    put: () => putRef(db, name, name),
    isSeenWithin: async (ms) => (await findRecentRef(db, name, ms)) !== undefined,
  };
}
