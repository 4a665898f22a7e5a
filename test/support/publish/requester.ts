/**
 * Asks for rebuilds, each in a transaction of its own, and takes them up in between:
 * `requester.ts <address as JSON> <first time in ms> <how many>`. Prints how many it took up.
 */
import { writeSync } from "node:fs";
import { requestRebuild } from "../../../packages/server/src/features/release/rebuild-requests.ts";
import {
  claimPending,
  endBuilding,
} from "../../../packages/server/src/features/release/rebuild-store.ts";
import { openDatabase } from "../../../packages/server/src/platform/db/connect.ts";

const [address = "{}", first = "0", count = "0"] = process.argv.slice(2);
const { db, close } = openDatabase(JSON.parse(address) as { url: string | null; file: string });
const at = "2026-01-01T00:00:00.000Z";
const end = { status: "done", finished_at: at, error: null, commit_sha: null } as const;
let taken = 0;
for (let n = 0; n < Number(count); n += 1) {
  const now = Number(first) + n;
  await db
    .transaction()
    .execute((transaction) => requestRebuild(transaction, { reason: "a", now }));
  if (n % 10 !== 9) continue;
  const row = await claimPending(db, at);
  if (!row) continue;
  taken += 1;
  await endBuilding(db, row.id, { ...end, release_number: taken });
}
await requestRebuild(db, { reason: "a", now: Number(first) + Number(count) });
writeSync(1, `${taken}\n`);
await close();
