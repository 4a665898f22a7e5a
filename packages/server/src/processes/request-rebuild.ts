import { requestRebuild } from "../features/release/rebuild-requests.ts";
import type { Clock } from "../kit/clock.ts";
import type { Db } from "../platform/db/connect.ts";

/**
 * Requests that the public site follows a change of the records, in the change's own transaction.
 */
export function makeRebuildRequester({ clock }: { clock: Pick<Clock, "now"> }) {
  return (transaction: Db, reason: string) =>
    requestRebuild(transaction, { reason, now: clock.now() });
}
