import type { Db } from "../../platform/db/connect.ts";

/** The purpose of an emailed link. */
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

/** Deletes an address's tokens for a purpose, or for all purposes. */
export async function deleteTokens(
  db: Db,
  email: string,
  purpose?: TokenPurpose | undefined,
): Promise<void> {
  let query = tables(db).deleteFrom("user_token").where("email", "=", email);
  if (purpose !== undefined) query = query.where("purpose", "=", purpose);
  await query.execute();
}

/** The token with a hash that is valid at `now` (ISO 8601) for this purpose. */
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

/** Uses up a token in one statement: of concurrent requests, only one gets it. */
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

/** Deletes tokens that are used or have expired by `now` (ISO 8601) and returns their number. */
export async function deleteExpiredTokens(db: Db, now: string): Promise<number> {
  const result = await tables(db)
    .deleteFrom("user_token")
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("used_at", "is not", null)]))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
