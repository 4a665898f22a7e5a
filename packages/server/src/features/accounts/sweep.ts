import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { deleteExpiredSessions } from "./session-store.ts";
import { deleteUnconfirmed } from "./store.ts";
import { deleteExpiredTokens } from "./token-store.ts";

/** Unconfirmed accounts are deleted after this time, ms. */
const unconfirmedLifetime = 30 * 24 * 60 * 60_000;

/**
 * Deletes what has expired by `now` (ms): used and expired links, expired sessions, and accounts
 * that haven't been confirmed within 30 days.
 */
export async function sweepAccounts(
  db: Db,
  now: number,
): Promise<{ tokens: number; sessions: number; accounts: number }> {
  const at = isoTime(now);
  return {
    tokens: await deleteExpiredTokens(db, at),
    sessions: await deleteExpiredSessions(db, at),
    accounts: await deleteUnconfirmed(db, isoTime(now - unconfirmedLifetime)),
  };
}
