import { randomInt } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox } from "../../platform/mailer/outgoing-email.ts";
import type { Accounts, User } from "./account.ts";
import { emailConfirmationOperations } from "./confirm-email.ts";
import { type Hasher, makeHasher } from "./hasher.ts";
import { makeConfirmBudget, makeEmailBudget, makeSignInBudget } from "./limits.ts";
import { ownOperations } from "./own-account.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { recoveryOperations } from "./recovery.ts";
import { makeDeleteAccount } from "./delete-account.ts";
import { hasSessionFrom } from "./session-store.ts";
import { makeUserSessions } from "./sessions.ts";
import { signInOperations } from "./sign-in.ts";
import { signUpOperations } from "./sign-up.ts";

/** What accounts are made of. */
export interface AccountsDependencies {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  limits: Limits["accounts"];
  /** What emails call this site; no password may consist of it. */
  siteName: string;
  /** Whether an address may begin an account; asked outside of any transaction. */
  canSignUp(email: string): Promise<boolean>;
  /** Whether an address is still invited to something: for as long its link is good. Always, unless told. */
  isInvited?(email: string): Promise<boolean>;
  /** Called in the transaction that removes a user, before they are gone. */
  onDeleted?(trx: Db, user: User): Promise<void>;
  /** What else is kept about a user, for their export. */
  extraPersonalData?(user: User): Promise<Record<string, unknown>>;
  /** argon2id with bounds; a new one unless told. */
  hasher?: Hasher;
}

/** How long after the answer mail leaves, ms. */
const pause = { least: 100, most: 1000 };

/**
 * Mail leaves some time after the answer: delivery has work only where there is an email, and whoever
 * waits for the answer, or asks for something else right after it, would notice.
 */
function delayedOutbox(outbox: Outbox): Outbox {
  return {
    enqueue: (db, email) => outbox.enqueue(db, email),
    wake: () => void setTimeout(() => outbox.wake(), randomInt(pause.least, pause.most)).unref(),
  };
}

/** Accounts with a password, for one process: what they may be tried is counted here. */
export function makeAccounts(deps: AccountsDependencies): Accounts {
  const { db, clock, limits, canSignUp, onDeleted } = deps;
  const outbox = delayedOutbox(deps.outbox);
  const sessions = makeUserSessions({ db, clock });
  const parts: AccountDependencies = {
    db,
    outbox,
    hasher: deps.hasher ?? makeHasher(),
    sessions,
    get siteName() {
      return deps.siteName;
    },
    canSignUp,
    isInvited: deps.isInvited ?? (async () => true),
    emailBudget: makeEmailBudget(clock, limits),
    signInBudget: makeSignInBudget(clock, limits, (email, ip) => hasSessionFrom(db, email, ip)),
    confirmBudget: makeConfirmBudget(clock, limits),
    now: () => sessions.now(),
  };
  const deleteAccount = makeDeleteAccount({
    db,
    outbox,
    onDeleted,
    get siteName() {
      return deps.siteName;
    },
  });
  const extraPersonalData = deps.extraPersonalData ?? (async () => ({}));
  return {
    ...signUpOperations(parts),
    ...signInOperations(parts),
    ...emailConfirmationOperations(parts),
    ...recoveryOperations(parts),
    ...ownOperations(parts, { exportExtraData: extraPersonalData, removeUser: deleteAccount }),
  };
}
