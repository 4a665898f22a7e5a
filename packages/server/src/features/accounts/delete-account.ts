import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing-email.ts";
import type { User } from "./account.ts";
import { accountDeletedEmail } from "./emails.ts";
import { deleteTokens } from "./token-store.ts";
import { deleteUser } from "./store.ts";

/**
 * Removes a user for good, with sessions, links elsewhere and tokens, and emails them a notice; by
 * themselves or by the site's owner. False when they are gone already.
 */
export type DeleteAccount = (user: User, by: "user" | "owner") => Promise<boolean>;

export function makeDeleteAccount(deps: {
  db: Db;
  outbox: Outbox;
  siteName: string;
  /** Called in the transaction, before the user is gone. */
  onDeleted?: ((trx: Db, user: User) => Promise<void>) | undefined;
}): DeleteAccount {
  const { db, outbox, onDeleted } = deps;
  return async (user, by) => {
    const removed = await db.transaction().execute(async (trx) => {
      await onDeleted?.(trx, user);
      if (!(await deleteUser(trx, user.id))) return false;
      await deleteTokens(trx, user.email);
      // Nobody has shown that an unconfirmed address is theirs, so nobody there knows of an account.
      if (user.verified)
        await outbox.enqueue(
          trx,
          accountDeletedEmail({ siteName: deps.siteName, to: user.email, by }),
        );
      return true;
    });
    if (removed) outbox.wake();
    return removed;
  };
}
