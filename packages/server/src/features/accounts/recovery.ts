import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Accounts } from "./account.ts";
import { readAddress } from "./address.ts";
import { confirmPassword, wrongPassword } from "./confirm-password.ts";
import { pretendToSend } from "./decoy.ts";
import { passwordMail, resetMail } from "./mails.ts";
import type { Parts } from "./parts.ts";
import { checkNewPassword } from "./password.ts";
import { deleteSessions } from "./session-store.ts";
import { confirmUser, findUserRow, holdPasswordHash, holdUser, setPasswordHash } from "./store.ts";
import { deleteTokens } from "./token-store.ts";
import { badToken, issueToken, readToken, takeToken } from "./tokens.ts";

function makeForgot(parts: Parts): Accounts["forgot"] {
  const { db, outbox } = parts;

  async function send(trx: Db, to: string): Promise<void> {
    const now = parts.now();
    const row = await findUserRow(trx, to);
    const mail = (token: string) => resetMail({ siteName: parts.siteName, to, token });
    if (!row) return pretendToSend(trx, { purpose: "reset", now, mail }, outbox);
    await holdUser(trx, row.id);
    const token = await issueToken(trx, { purpose: "reset", email: to, userId: row.id, now });
    await outbox.post(trx, mail(token));
  }

  return async (said, visitor) => {
    const email = readAddress(said.email);
    parts.mailBudget.take(visitor, email);
    await db.transaction().execute((trx) => send(trx, email));
    outbox.wake();
  };
}

function makeReset(parts: Parts): Pick<Accounts, "canReset" | "reset"> {
  const { db, outbox } = parts;
  return {
    canReset: async (token) => (await readToken(db, token, "reset", parts.now())) !== null,

    async reset(said) {
      const held = await readToken(db, said.token, "reset", parts.now());
      const row = held && (await findUserRow(db, held.email));
      if (!row) throw badToken();
      const { id, email, name } = row;
      const password = await checkNewPassword(said.password, {
        email,
        name,
        siteName: parts.siteName,
      });
      const passwordHash = await parts.hasher.hash(password);
      await db.transaction().execute(async (trx) => {
        const now = parts.now();
        await takeToken(trx, said.token, "reset", now);
        await setPasswordHash(trx, id, passwordHash, isoTime(now));
        await confirmUser(trx, id, isoTime(now));
        await deleteSessions(trx, id);
        await deleteTokens(trx, email, "verify");
        await outbox.post(trx, passwordMail({ siteName: parts.siteName, to: email }));
      });
      parts.signInBudget.forgive(email);
      outbox.wake();
    },
  };
}

function samePassword(): AppError {
  return new AppError("validation_failed", "That is the password that you have.", {
    fields: { password: "is the one that you have" },
  });
}

function makeChange(parts: Parts): Accounts["changePassword"] {
  const { db, outbox } = parts;
  return async ({ user, session }, said, visitor) => {
    const { id, email, name } = user;
    if (said.password === said.current) throw samePassword();
    const next = await checkNewPassword(said.password, { email, name, siteName: parts.siteName });
    const compared = await confirmPassword(parts, id, visitor, said.current, "current");
    const hash = await parts.hasher.hash(next);
    const changed = await db.transaction().execute(async (trx) => {
      if (!(await holdPasswordHash(trx, id, { compared, next: hash }))) return false;
      await setPasswordHash(trx, id, hash, isoTime(parts.now()));
      await deleteSessions(trx, id, session.idHash);
      await deleteTokens(trx, email, "reset");
      await outbox.post(trx, passwordMail({ siteName: parts.siteName, to: email }));
      return true;
    });
    if (!changed) throw wrongPassword("current");
    outbox.wake();
  };
}

/** How a password becomes another one. */
export function recoveryOperations(
  parts: Parts,
): Pick<Accounts, "forgot" | "canReset" | "reset" | "changePassword"> {
  return { forgot: makeForgot(parts), ...makeReset(parts), changePassword: makeChange(parts) };
}
