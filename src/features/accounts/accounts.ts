import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing.ts";
import type { Accounts, User } from "./account.ts";

/** What accounts are made of. */
export interface AccountsDeps {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  limits: Limits["accounts"];
  /** What mails call this site; no password may consist of it. */
  siteName: string;
  /** Whether an address may have an account. */
  mayJoin(email: string): Promise<boolean>;
  /** Called in the transaction that removes a user, before they are gone. */
  onRemoved?(trx: Db, user: User): Promise<void>;
  /** What else is kept about a user, for their export. */
  alsoKept?(user: User): Promise<Record<string, unknown>>;
}

export function makeAccounts(_deps: AccountsDeps): Accounts {
  throw new Error("to come");
}
