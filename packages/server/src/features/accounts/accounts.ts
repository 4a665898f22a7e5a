import { randomInt } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type OpenAttemptLimit, openLocalLimits } from "../../platform/throttle.ts";
import { makeSteadyClock } from "../../platform/steady-clock.ts";
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
import { makeUserSessions, type UserSessions } from "./sessions.ts";
import { signInOperations } from "./sign-in.ts";
import { signUpOperations } from "./sign-up.ts";

/** Dependencies of the account operations. */
export interface AccountsDependencies {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  limits: Limits["accounts"];
  /** The site's name in emails; no password may consist of it. */
  siteName: string;
  /** Whether an address may create an account; called outside any transaction. */
  canSignUp(email: string): Promise<boolean>;
  /** Whether an address still has a valid invitation. Defaults to always true. */
  isInvited?(email: string): Promise<boolean>;
  /** Called in the transaction that deletes a user, before the row is deleted. */
  onDeleted?(trx: Db, user: User): Promise<void>;
  /** Additional personal data to include in a user's export. */
  extraPersonalData?(user: User): Promise<Record<string, unknown>>;
  /** Where attempts are counted; by default, in this process. */
  openLimit?: OpenAttemptLimit;
  /** The guard's sessions; by default, new ones. */
  sessions?: UserSessions;
  /** argon2id with limits; by default, a new one. */
  hasher?: Hasher;
}

/** Delay between the response and sending an email, ms. */
const pause = { least: 100, most: 1000 };

/**
 * Sends emails some time after the response. Otherwise, the time of the response or of the next
 * request would reveal whether an email was sent.
 */
function delayedOutbox(outbox: Outbox): Outbox {
  return {
    enqueue: (db, email) => outbox.enqueue(db, email),
    wake: () => void setTimeout(() => outbox.wake(), randomInt(pause.least, pause.most)).unref(),
  };
}

/** Accounts with passwords. */
export function makeAccounts(deps: AccountsDependencies): Accounts {
  const { db, clock, limits, canSignUp, onDeleted, openLimit = openLocalLimits(clock) } = deps;
  const outbox = delayedOutbox(deps.outbox);
  const { sessions = makeUserSessions({ db, clock }) } = deps;
  // Links aren't judged by the clock of sessions, which follows what other processes have seen.
  const steady = makeSteadyClock(clock);
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
    emailBudget: makeEmailBudget(openLimit, limits),
    signInBudget: makeSignInBudget(openLimit, limits, (email, ip) => hasSessionFrom(db, email, ip)),
    confirmBudget: makeConfirmBudget(openLimit, limits),
    now: () => steady.now(),
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
