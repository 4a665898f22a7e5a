import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing-email.ts";
import type { Hasher } from "./hasher.ts";
import type { ConfirmBudget, EmailBudget, SignInBudget } from "./limits.ts";
import type { UserSessions } from "./sessions.ts";

/** Dependencies shared by the account operations. */
export interface AccountDependencies {
  db: Db;
  outbox: Outbox;
  hasher: Hasher;
  sessions: UserSessions;
  siteName: string;
  canSignUp(email: string): Promise<boolean>;
  isInvited(email: string): Promise<boolean>;
  emailBudget: EmailBudget;
  signInBudget: SignInBudget;
  confirmBudget: ConfirmBudget;
  /** The time by which links expire, ms; it never goes backwards. */
  now(): number;
}
