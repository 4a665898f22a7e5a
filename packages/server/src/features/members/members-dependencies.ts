import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing-email.ts";
import type { User } from "../accounts/account.ts";

/** Dependencies of the members feature. */
export interface MembersDependencies {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  siteName(): string;
  /**
   * Deletes an account permanently, for its user or the site's owner; false if it is already gone.
   */
  deleteAccount(user: User, by: "owner"): Promise<boolean>;
}
