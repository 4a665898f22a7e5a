import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Accounts } from "./account.ts";
import { parseEmail, parseName } from "./parse-email.ts";
import { issueDummyToken, sendDummyEmail } from "./dummy-token.ts";
import { accountExistsEmail, verificationEmail } from "./emails.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { checkNewPassword } from "./password.ts";
import {
  confirmUser,
  findUserRow,
  lockUser,
  insertUser,
  isConfirmed,
  replaceUnconfirmed,
} from "./store.ts";
import { deleteTokens } from "./token-store.ts";
import { badToken, issueToken, readToken, takeToken } from "./tokens.ts";

/** A sign-up with validated fields. */
interface Applicant {
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Makes sure that the address has an account: a new one, or an unconfirmed one that the latest
 * applicant takes over. Returns its ID; "confirmed" if the account is already confirmed.
 */
async function claim(trx: Db, applicant: Applicant, now: string): Promise<number | "confirmed"> {
  const { email } = applicant;
  const inserted = await insertUser(trx, { ...applicant, verifiedAt: null, now });
  if (inserted !== null) return inserted;
  const row = await findUserRow(trx, email);
  if (!row) throw new Error("An account went while it was signed up again.");
  return (await replaceUnconfirmed(trx, row.id, { ...applicant, now })) ? row.id : "confirmed";
}

/**
 * Every path does one hash, one token, one email, and one commit. An address that may not join gets
 * no email and isn't stored, so that a closed site can't be made to email people.
 */
function makeSignUp(deps: AccountDependencies): Accounts["signUp"] {
  const { db, outbox } = deps;

  async function place(trx: Db, applicant: Applicant, canSignUp: boolean): Promise<void> {
    const now = deps.now();
    const to = applicant.email;
    const known = await findUserRow(trx, to);
    const refused = !canSignUp && !isConfirmed(known);
    const id = refused ? null : await claim(trx, applicant, isoTime(now));
    if (id === null) {
      const outgoingEmail = (token: string) =>
        verificationEmail({ siteName: deps.siteName, to, token });
      await sendDummyEmail(trx, { purpose: "verify", now, makeEmail: outgoingEmail }, outbox);
    } else if (id === "confirmed") {
      await issueDummyToken(trx, "verify", now);
      await outbox.enqueue(trx, accountExistsEmail({ siteName: deps.siteName, to }));
    } else {
      const token = await issueToken(trx, { purpose: "verify", email: to, userId: id, now });
      await outbox.enqueue(trx, verificationEmail({ siteName: deps.siteName, to, token }));
    }
  }

  return async (input, visitor) => {
    const email = parseEmail(input.email);
    const name = parseName(input.name);
    const password = await checkNewPassword(input.password, {
      email,
      name,
      siteName: deps.siteName,
    });
    const booking = await deps.emailBudget.take(visitor, email);
    try {
      const passwordHash = await deps.hasher.hash(password);
      const canSignUp = await deps.canSignUp(email);
      await db.transaction().execute((trx) => place(trx, { email, name, passwordHash }, canSignUp));
    } catch (error) {
      await booking.refund();
      throw error;
    }
    outbox.wake();
  };
}

function makeSignUpInvited(deps: AccountDependencies): Pick<Accounts, "signUpInvited" | "invited"> {
  const { db, sessions } = deps;

  /** What an invitation was for may be gone, and the invitation with it. */
  async function readInvitation(token: string) {
    const invitation = await readToken(db, token, "invite", deps.now());
    return invitation && (await deps.isInvited(invitation.email)) ? invitation : null;
  }

  return {
    async invited(token) {
      const invitation = await readInvitation(token);
      if (!invitation) return null;
      const row = await findUserRow(db, invitation.email);
      return { email: invitation.email, hasAccount: isConfirmed(row) };
    },

    async signUpInvited(input, visitor) {
      const invitation = await readInvitation(input.token);
      if (!invitation) throw badToken();
      const { email } = invitation;
      const name = parseName(input.name);
      const password = await checkNewPassword(input.password, {
        email,
        name,
        siteName: deps.siteName,
      });
      const passwordHash = await deps.hasher.hash(password);
      return db.transaction().execute(async (trx) => {
        const now = deps.now();
        await takeToken(trx, input.token, "invite", now);
        const id = await claim(trx, { email, name, passwordHash }, isoTime(now));
        if (id === "confirmed") {
          throw new AppError(
            "already_exists",
            "This address already has an account. Sign in instead.",
          );
        }
        await confirmUser(trx, id, isoTime(now));
        await deleteTokens(trx, email, "verify");
        return sessions.start(trx, id, { method: "invite", visitor });
      });
    },
  };
}

function makeConfirmation(deps: AccountDependencies): Pick<Accounts, "verify" | "resend"> {
  const { db, outbox } = deps;

  async function send(trx: Db, to: string): Promise<void> {
    const now = deps.now();
    const row = await findUserRow(trx, to);
    const outgoingEmail = (token: string) =>
      verificationEmail({ siteName: deps.siteName, to, token });
    if (!row || isConfirmed(row)) {
      return sendDummyEmail(trx, { purpose: "verify", now, makeEmail: outgoingEmail }, outbox);
    }
    await lockUser(trx, row.id);
    const token = await issueToken(trx, { purpose: "verify", email: to, userId: row.id, now });
    await outbox.enqueue(trx, outgoingEmail(token));
  }

  return {
    verify: (token) =>
      db.transaction().execute(async (trx) => {
        const now = deps.now();
        const { email, user_id: userId } = await takeToken(trx, token, "verify", now);
        if (userId === null) throw badToken();
        await confirmUser(trx, userId, isoTime(now));
        return { email };
      }),

    async resend(input, visitor) {
      const email = parseEmail(input.email);
      await deps.emailBudget.take(visitor, email);
      await db.transaction().execute((trx) => send(trx, email));
      outbox.wake();
    },
  };
}

/** Operations that create accounts. */
export function signUpOperations(
  deps: AccountDependencies,
): Pick<Accounts, "signUp" | "signUpInvited" | "invited" | "verify" | "resend"> {
  return { signUp: makeSignUp(deps), ...makeSignUpInvited(deps), ...makeConfirmation(deps) };
}
