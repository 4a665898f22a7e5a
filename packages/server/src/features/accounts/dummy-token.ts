import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox, OutgoingEmail } from "../../platform/mailer/outgoing-email.ts";
import { issueToken, type TokenPurpose } from "./tokens.ts";

/**
 * Does the same work as creating a token and an email when there is nobody to send them to, so that
 * response times reveal nothing: creates a token without an address, which the next one replaces,
 * and an email that is rolled back. `db` is a transaction.
 */
export async function sendDummyEmail(
  db: Db,
  {
    purpose,
    now,
    makeEmail: email,
  }: { purpose: TokenPurpose; now: number; makeEmail(token: string): OutgoingEmail },
  outbox: Outbox,
): Promise<void> {
  const token = await issueDummyToken(db, purpose, now);
  await sql`savepoint pretended`.execute(db);
  await outbox.enqueue(db, email(token));
  await sql`rollback to savepoint pretended`.execute(db);
}

/** Creates only the dummy token, without an email. */
export function issueDummyToken(db: Db, purpose: TokenPurpose, now: number): Promise<string> {
  return issueToken(db, { purpose, email: "", userId: null, now });
}
