import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Accounts } from "./account.ts";
import type { Parts } from "./parts.ts";
import { comparable } from "./password.ts";
import { confirmUser, findUserRow, holdPasswordHash } from "./store.ts";
import { badToken, readToken, takeToken } from "./tokens.ts";

/** How an address is confirmed by whoever signed up with it. */
export function confirmOperations(parts: Parts): Pick<Accounts, "confirm" | "canConfirm"> {
  const { db, hasher, sessions, signInBudget } = parts;

  async function holder(token: string) {
    const held = await readToken(db, token, "verify", parts.now());
    const row = held && (await findUserRow(db, held.email));
    return row && row.password_hash !== null ? { ...row, compared: row.password_hash } : null;
  }

  return {
    canConfirm: async (token) => (await holder(token)) !== null,

    async confirm({ token, password }, visitor) {
      const row = await holder(token);
      if (!row) throw badToken();
      const { id, email, compared } = row;
      const booking = await signInBudget.book(visitor, email);
      const { matches } = await hasher.verify(comparable(password), compared).catch((error) => {
        booking.giveBack();
        throw error;
      });
      if (!matches) {
        throw new AppError("invalid_credentials", "The account was not begun with this password.");
      }
      booking.giveBack();
      return db.transaction().execute(async (trx) => {
        const now = parts.now();
        await takeToken(trx, token, "verify", now);
        if (!(await holdPasswordHash(trx, id, { compared, next: compared }))) throw badToken();
        await confirmUser(trx, id, isoTime(now));
        return sessions.start(trx, id, { method: "password", visitor });
      });
    },
  };
}
