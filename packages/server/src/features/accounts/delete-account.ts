import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing-email.ts";
import type { User } from "./account.ts";
import { accountDeletedEmail } from "./emails.ts";
import { deleteTokens } from "./token-store.ts";
import { deleteUser } from "./store.ts";

/**
 * Deletes a user permanently, with sessions, linked accounts, and tokens, and sends a notice. Used
 * by users themselves and by the site's owner. False if the user is already gone.
 */
export type DeleteAccount = (user: User, by: "user" | "owner") => Promise<boolean>;

export function makeDeleteAccount(deps: {
  db: Db;
  outbox: Outbox;
  siteName: string;
  /** Called in the transaction, before the user is deleted. */
  onDeleted?: ((trx: Db, user: User) => Promise<void>) | undefined;
}): DeleteAccount {
  const { db, outbox, onDeleted } = deps;
  return async (user, by) => {
    const removed = await db.transaction().execute(async (trx) => {
      await onDeleted?.(trx, user);
      if (!(await deleteUser(trx, user.id))) return false;
      await deleteTokens(trx, user.email);
      // The address was never confirmed, so its owner may know nothing of an account.
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
