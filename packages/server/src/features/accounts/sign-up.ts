import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Accounts } from "./account.ts";
import { readAddress, readName } from "./address.ts";
import { pretendToken, pretendToSend } from "./decoy.ts";
import { knownMail, verifyMail } from "./mails.ts";
import type { Parts } from "./parts.ts";
import { checkNewPassword } from "./password.ts";
import {
  confirmUser,
  findUserRow,
  holdUser,
  insertUser,
  isConfirmed,
  takeOverUnconfirmed,
} from "./store.ts";
import { deleteTokens } from "./token-store.ts";
import { badToken, issueToken, readToken, takeToken } from "./tokens.ts";

/** A sign-up whose words have been checked. */
interface Applicant {
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Sees to it that the address has an account: a new one, or one that nobody has confirmed and that
 * is theirs who says so last. Gives its id; "confirmed" for one that is somebody's already.
 */
async function claim(trx: Db, applicant: Applicant, now: string): Promise<number | "confirmed"> {
  const { email } = applicant;
  const inserted = await insertUser(trx, { ...applicant, verifiedAt: null, now });
  if (inserted !== null) return inserted;
  const row = await findUserRow(trx, email);
  if (!row) throw new Error("An account went while it was signed up again.");
  return (await takeOverUnconfirmed(trx, row.id, { ...applicant, now })) ? row.id : "confirmed";
}

/**
 * Every way through has one hash, one token and one mail in it and ends with one commit. Whoever may
 * not join gets no mail, so that a closed site can't be made to write to strangers; nor is their
 * address kept.
 */
function makeSignUp(parts: Parts): Accounts["signUp"] {
  const { db, outbox } = parts;

  async function place(trx: Db, applicant: Applicant, mayJoin: boolean): Promise<void> {
    const now = parts.now();
    const to = applicant.email;
    const known = await findUserRow(trx, to);
    const refused = !mayJoin && !isConfirmed(known);
    const id = refused ? null : await claim(trx, applicant, isoTime(now));
    if (id === null) {
      const mail = (token: string) => verifyMail({ siteName: parts.siteName, to, token });
      await pretendToSend(trx, { purpose: "verify", now, mail }, outbox);
    } else if (id === "confirmed") {
      await pretendToken(trx, "verify", now);
      await outbox.post(trx, knownMail({ siteName: parts.siteName, to }));
    } else {
      const token = await issueToken(trx, { purpose: "verify", email: to, userId: id, now });
      await outbox.post(trx, verifyMail({ siteName: parts.siteName, to, token }));
    }
  }

  return async (said, visitor) => {
    const email = readAddress(said.email);
    const name = readName(said.name);
    const password = await checkNewPassword(said.password, {
      email,
      name,
      siteName: parts.siteName,
    });
    const booking = parts.mailBudget.take(visitor, email);
    try {
      const passwordHash = await parts.hasher.hash(password);
      const mayJoin = await parts.mayJoin(email);
      await db.transaction().execute((trx) => place(trx, { email, name, passwordHash }, mayJoin));
    } catch (error) {
      booking.giveBack();
      throw error;
    }
    outbox.wake();
  };
}

function makeSignUpInvited(parts: Parts): Pick<Accounts, "signUpInvited" | "invited"> {
  const { db, sessions } = parts;

  /** What an invitation was for may be gone, and the invitation with it. */
  async function readInvitation(token: string) {
    const held = await readToken(db, token, "invite", parts.now());
    return held && (await parts.isInvited(held.email)) ? held : null;
  }

  return {
    async invited(token) {
      const held = await readInvitation(token);
      if (!held) return null;
      const row = await findUserRow(db, held.email);
      return { email: held.email, known: isConfirmed(row) };
    },

    async signUpInvited(said, visitor) {
      const held = await readInvitation(said.token);
      if (!held) throw badToken();
      const { email } = held;
      const name = readName(said.name);
      const password = await checkNewPassword(said.password, {
        email,
        name,
        siteName: parts.siteName,
      });
      const passwordHash = await parts.hasher.hash(password);
      return db.transaction().execute(async (trx) => {
        const now = parts.now();
        await takeToken(trx, said.token, "invite", now);
        const id = await claim(trx, { email, name, passwordHash }, isoTime(now));
        if (id === "confirmed") {
          throw new AppError("already_exists", "This address has an account. Sign in with it.");
        }
        await confirmUser(trx, id, isoTime(now));
        await deleteTokens(trx, email, "verify");
        return sessions.start(trx, id, { method: "invite", visitor });
      });
    },
  };
}

function makeConfirmation(parts: Parts): Pick<Accounts, "verify" | "resend"> {
  const { db, outbox } = parts;

  async function send(trx: Db, to: string): Promise<void> {
    const now = parts.now();
    const row = await findUserRow(trx, to);
    const mail = (token: string) => verifyMail({ siteName: parts.siteName, to, token });
    if (!row || isConfirmed(row)) {
      return pretendToSend(trx, { purpose: "verify", now, mail }, outbox);
    }
    await holdUser(trx, row.id);
    const token = await issueToken(trx, { purpose: "verify", email: to, userId: row.id, now });
    await outbox.post(trx, mail(token));
  }

  return {
    verify: (token) =>
      db.transaction().execute(async (trx) => {
        const now = parts.now();
        const { email, user_id: userId } = await takeToken(trx, token, "verify", now);
        if (userId === null) throw badToken();
        await confirmUser(trx, userId, isoTime(now));
        return { email };
      }),

    async resend(said, visitor) {
      const email = readAddress(said.email);
      parts.mailBudget.take(visitor, email);
      await db.transaction().execute((trx) => send(trx, email));
      outbox.wake();
    },
  };
}

/** How accounts begin. */
export function signUpOperations(
  parts: Parts,
): Pick<Accounts, "signUp" | "signUpInvited" | "invited" | "verify" | "resend"> {
  return { signUp: makeSignUp(parts), ...makeSignUpInvited(parts), ...makeConfirmation(parts) };
}
