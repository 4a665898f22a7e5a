import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Accounts } from "./account.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { normalizeForComparison } from "./password.ts";
import { confirmUser, findUserRow, compareAndSetPasswordHash } from "./store.ts";
import { badToken, readToken, takeToken } from "./tokens.ts";

/** Operations that confirm an address after sign-up. */
export function emailConfirmationOperations(
  deps: AccountDependencies,
): Pick<Accounts, "confirm" | "canConfirm"> {
  const { db, hasher, sessions, signInBudget } = deps;

  async function user(token: string) {
    const verification = await readToken(db, token, "verify", deps.now());
    const row = verification && (await findUserRow(db, verification.email));
    return row && row.password_hash !== null ? { ...row, compared: row.password_hash } : null;
  }

  return {
    canConfirm: async (token) => (await user(token)) !== null,

    async confirm({ token, password }, visitor) {
      const row = await user(token);
      if (!row) throw badToken();
      const { id, email, compared } = row;
      const booking = await signInBudget.reserve(visitor, email);
      const { matches } = await hasher
        .verify(normalizeForComparison(password), compared)
        .catch(async (error: unknown) => {
          await booking.refund();
          throw error;
        });
      if (!matches) {
        throw new AppError(
          "invalid_credentials",
          "This isn't the password the account was created with.",
        );
      }
      await booking.refund();
      return db.transaction().execute(async (trx) => {
        const now = deps.now();
        await takeToken(trx, token, "verify", now);
        if (!(await compareAndSetPasswordHash(trx, id, { compared, next: compared })))
          throw badToken();
        await confirmUser(trx, id, isoTime(now));
        return sessions.start(trx, id, { method: "password", visitor });
      });
    },
  };
}
