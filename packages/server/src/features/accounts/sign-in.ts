import { AppError } from "../../kit/errors.ts";
import type { Accounts, SignedIn, Visitor } from "./account.ts";
import { parseEmail } from "./parse-email.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { normalizeForComparison } from "./password.ts";
import { findUserRow, compareAndSetPasswordHash, isConfirmed } from "./store.ts";

/**
 * The same error for every reason, including an unconfirmed address: otherwise, anybody who signs
 * up with an address could tell whether it was known by trying to sign in.
 */
function refused(): AppError {
  return new AppError(
    "invalid_credentials",
    "The email address or password is wrong, or the address hasn't been confirmed yet.",
  );
}

/** Signing in with a password, and signing out. */
export function signInOperations(deps: AccountDependencies): Pick<Accounts, "signIn" | "signOut"> {
  const { db, hasher, sessions, signInBudget } = deps;

  /** Null for a wrong password, or if the account changed during the comparison. */
  async function check(
    email: string,
    password: string,
    visitor: Visitor,
  ): Promise<SignedIn | null> {
    const row = await findUserRow(db, email);
    const compared = row?.password_hash ?? null;
    const { matches, outdated } = await hasher.verify(normalizeForComparison(password), compared);
    if (!matches || compared === null || !isConfirmed(row)) return null;
    const next = outdated ? await hasher.hash(normalizeForComparison(password)) : compared;
    return db.transaction().execute(async (trx) => {
      if (!(await compareAndSetPasswordHash(trx, row.id, { compared, next }))) return null;
      return sessions.start(trx, row.id, { method: "password", visitor });
    });
  }

  return {
    async signIn(input, visitor) {
      const email = parseEmail(input.email);
      const booking = await signInBudget.reserve(visitor, email);
      let signedIn: SignedIn | null;
      try {
        signedIn = await check(email, input.password, visitor);
      } catch (error) {
        await booking.refund();
        throw error;
      }
      if (!signedIn) throw refused();
      await booking.refund();
      signInBudget.trustVisitor(visitor, email);
      return signedIn;
    },
    signOut: (session) => sessions.end(session.idHash),
  };
}
