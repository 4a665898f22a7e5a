import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Accounts } from "./account.ts";
import { parseEmail } from "./parse-email.ts";
import { confirmPassword, wrongPassword } from "./confirm-password.ts";
import { sendDummyEmail } from "./dummy-token.ts";
import { passwordChangedEmail, passwordResetEmail } from "./emails.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { checkNewPassword } from "./password.ts";
import { deleteSessions } from "./session-store.ts";
import {
  confirmUser,
  findUserRow,
  compareAndSetPasswordHash,
  lockUser,
  setPasswordHash,
} from "./store.ts";
import { deleteTokens } from "./token-store.ts";
import { badToken, issueToken, readToken, takeToken } from "./tokens.ts";

function makeForgot(deps: AccountDependencies): Accounts["forgot"] {
  const { db, outbox } = deps;

  async function send(trx: Db, to: string): Promise<void> {
    const now = deps.now();
    const row = await findUserRow(trx, to);
    const outgoingEmail = (token: string) =>
      passwordResetEmail({ siteName: deps.siteName, to, token });
    if (!row)
      return sendDummyEmail(trx, { purpose: "reset", now, makeEmail: outgoingEmail }, outbox);
    await lockUser(trx, row.id);
    const token = await issueToken(trx, { purpose: "reset", email: to, userId: row.id, now });
    await outbox.enqueue(trx, outgoingEmail(token));
  }

  return async (input, visitor) => {
    const email = parseEmail(input.email);
    await deps.emailBudget.take(visitor, email);
    await db.transaction().execute((trx) => send(trx, email));
    outbox.wake();
  };
}

function makeReset(deps: AccountDependencies): Pick<Accounts, "canReset" | "reset"> {
  const { db, outbox } = deps;
  return {
    canReset: async (token) => (await readToken(db, token, "reset", deps.now())) !== null,

    async reset(input) {
      const resetToken = await readToken(db, input.token, "reset", deps.now());
      const row = resetToken && (await findUserRow(db, resetToken.email));
      if (!row) throw badToken();
      const { id, email, name } = row;
      const password = await checkNewPassword(input.password, {
        email,
        name,
        siteName: deps.siteName,
      });
      const passwordHash = await deps.hasher.hash(password);
      await db.transaction().execute(async (trx) => {
        const now = deps.now();
        await takeToken(trx, input.token, "reset", now);
        await setPasswordHash(trx, id, passwordHash, isoTime(now));
        await confirmUser(trx, id, isoTime(now));
        await deleteSessions(trx, id);
        await deleteTokens(trx, email, "verify");
        await outbox.enqueue(trx, passwordChangedEmail({ siteName: deps.siteName, to: email }));
      });
      await deps.signInBudget.reset(email);
      outbox.wake();
    },
  };
}

function samePassword(): AppError {
  return new AppError("validation_failed", "That is already your password. Choose a new one.", {
    fields: { password: "is already your password" },
  });
}

function makeChange(deps: AccountDependencies): Accounts["changePassword"] {
  const { db, outbox } = deps;
  return async ({ user, session }, input, visitor) => {
    const { id, email, name } = user;
    if (input.password === input.current) throw samePassword();
    const next = await checkNewPassword(input.password, { email, name, siteName: deps.siteName });
    const compared = await confirmPassword(deps, id, visitor, input.current, "current");
    const hash = await deps.hasher.hash(next);
    const changed = await db.transaction().execute(async (trx) => {
      if (!(await compareAndSetPasswordHash(trx, id, { compared, next: hash }))) return false;
      await setPasswordHash(trx, id, hash, isoTime(deps.now()));
      await deleteSessions(trx, id, session.idHash);
      await deleteTokens(trx, email, "reset");
      await outbox.enqueue(trx, passwordChangedEmail({ siteName: deps.siteName, to: email }));
      return true;
    });
    if (!changed) throw wrongPassword("current");
    outbox.wake();
  };
}

/** Operations that replace a password. */
export function recoveryOperations(
  deps: AccountDependencies,
): Pick<Accounts, "forgot" | "canReset" | "reset" | "changePassword"> {
  return { forgot: makeForgot(deps), ...makeReset(deps), changePassword: makeChange(deps) };
}
