import type { Db } from "../../../platform/db/connect.ts";

interface FlowTable {
  state_hash: string;
  provider: string;
  created_at: string;
  expires_at: string;
}

function tables(db: Db) {
  return db.withTables<{ oauth_flow: FlowTable }>();
}

/** Stores a new flow and deletes those that have expired by `row.created_at`. */
export async function insertFlow(db: Db, row: FlowTable): Promise<void> {
  await tables(db).deleteFrom("oauth_flow").where("expires_at", "<=", row.created_at).execute();
  await tables(db).insertInto("oauth_flow").values(row).execute();
}

/** Uses up a state. Returns whether it existed for this provider and hadn't expired by `now`. */
export async function takeFlow(
  db: Db,
  which: { stateHash: string; provider: string; now: string },
): Promise<boolean> {
  const taken = await tables(db)
    .deleteFrom("oauth_flow")
    .where("state_hash", "=", which.stateHash)
    .where("provider", "=", which.provider)
    .where("expires_at", ">", which.now)
    .executeTakeFirst();
  return taken.numDeletedRows > 0n;
}
