import type { Db } from "../../platform/db/connect.ts";

/** What a mailed link is for. */
export type TokenPurpose = "verify" | "reset" | "invite";

export interface TokenRow {
  token_hash: string;
  purpose: TokenPurpose;
  email: string;
  user_id: number | null;
  created_at: string;
  expires_at: string;
  used_at: string | null;
}

function tables(db: Db) {
  return db.withTables<{ user_token: TokenRow }>();
}

export async function insertToken(db: Db, row: TokenRow): Promise<void> {
  await tables(db).insertInto("user_token").values(row).execute();
}

/** Removes what an address holds for a purpose; for every purpose where none is named. */
export async function deleteTokens(
  db: Db,
  email: string,
  purpose?: TokenPurpose | undefined,
): Promise<void> {
  let query = tables(db).deleteFrom("user_token").where("email", "=", email);
  if (purpose !== undefined) query = query.where("purpose", "=", purpose);
  await query.execute();
}

/** The token of a hash that may still be used at `now` (ISO 8601) for this purpose. */
export async function findToken(
  db: Db,
  token: { hash: string; purpose: TokenPurpose; now: string },
): Promise<TokenRow | undefined> {
  return tables(db)
    .selectFrom("user_token")
    .selectAll()
    .where("token_hash", "=", token.hash)
    .where("purpose", "=", token.purpose)
    .where("used_at", "is", null)
    .where("expires_at", ">", token.now)
    .executeTakeFirst();
}

/** Uses a token up, in one statement: of many who try at once one gets it, the others nothing. */
export async function useToken(
  db: Db,
  token: { hash: string; purpose: TokenPurpose; now: string },
): Promise<TokenRow | undefined> {
  return tables(db)
    .updateTable("user_token")
    .set({ used_at: token.now })
    .where("token_hash", "=", token.hash)
    .where("purpose", "=", token.purpose)
    .where("used_at", "is", null)
    .where("expires_at", ">", token.now)
    .returningAll()
    .executeTakeFirst();
}

/** Removes the tokens that are used up or expired at `now` (ISO 8601) and says how many. */
export async function deleteExpiredTokens(db: Db, now: string): Promise<number> {
  const result = await tables(db)
    .deleteFrom("user_token")
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("used_at", "is not", null)]))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
