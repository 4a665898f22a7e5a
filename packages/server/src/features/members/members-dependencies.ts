import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing-email.ts";
import type { User } from "../accounts/account.ts";

/** What members are kept with. */
export interface MembersDependencies {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  siteName(): string;
  /** Removes an account for good, as its owner or the site's; false when it is gone already. */
  deleteAccount(user: User, by: "owner"): Promise<boolean>;
}
