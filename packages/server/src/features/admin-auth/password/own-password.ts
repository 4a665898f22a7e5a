import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { checkNewPassword, normalPassword } from "../credentials.ts";
import type { Hasher } from "../hasher.ts";
import { type Account, changePassword, readAccount } from "../store.ts";
import type { PasswordView } from "./schema.ts";

export interface OwnPasswordDependencies {
  db: Db;
  clock: Clock;
  hasher: Hasher;
}

/** A signed-in admin's request to set a password. */
export interface PasswordChange {
  password: string;
  /** The current password, if there is one. */
  current: string | undefined;
  /** Whether the current password is right; throws `throttled` after too many guesses. */
  isCurrent(password: string): Promise<boolean>;
  /** The session that stays; all others end. */
  sessionHash: string;
}

/** Whether the admin has a password. */
export async function viewPassword(db: Db): Promise<PasswordView> {
  const { password_hash, password_set_at } = await readAccount(db);
  return { isSet: password_hash !== null, setAt: password_set_at };
}

/**
 * Requires the current password, because a browser may have been left signed in. Guesses count as
 * failed sign-ins.
 */
async function assertKnowsCurrent(
  { password_hash }: Account,
  { current, isCurrent }: PasswordChange,
): Promise<void> {
  if (password_hash === null) return;
  const wrong = (message: string, words: string) =>
    new AppError("validation_failed", message, { fields: { current: words } });
  if (current === undefined || current === "") {
    throw wrong("Enter your current password.", "is missing: enter the password you use now");
  }
  if (!(await isCurrent(current))) {
    throw wrong("That isn't your current password.", "isn't your current password");
  }
}

/**
 * Sets the first password, or changes it after checking the current one. The session of the request
 * continues, all others end. Throws `validation_failed` with the field, `throttled`, and `conflict`
 * if password or link were changed at the same time.
 */
export async function setOwnPassword(
  deps: OwnPasswordDependencies,
  change: PasswordChange,
): Promise<PasswordView> {
  const { db, clock, hasher } = deps;
  checkNewPassword(change.password);
  const account = await readAccount(db);
  await assertKnowsCurrent(account, change);
  const hash = await hasher.hash(normalPassword(change.password));
  const at = isoTime(clock.now());
  const changed = await changePassword(db, {
    hash,
    at,
    expectedVersion: account.version,
    keepSession: change.sessionHash,
  });
  if (!changed) {
    throw new AppError(
      "conflict",
      "The password or the sign-in link was changed at the same time. Sign in again.",
    );
  }
  return { isSet: true, setAt: at };
}
