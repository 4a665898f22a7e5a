import type { Generated, Selectable } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

interface LinkTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  issuer: string;
  subject: string;
  email: string;
  created_at: string;
  last_used_at: string | null;
}
export type LinkRow = Selectable<LinkTable>;

interface UserTable {
  id: number;
  email: string;
  password_hash: string | null;
  updated_at: string;
}

function tables(db: Db) {
  return db.withTables<{ linked_account: LinkTable; user_account: UserTable }>();
}

/** Finds a link by the identity at the provider; nothing else identifies a user. */
export async function findLink(
  db: Db,
  who: { issuer: string; subject: string },
): Promise<LinkRow | undefined> {
  return tables(db)
    .selectFrom("linked_account")
    .selectAll()
    .where("issuer", "=", who.issuer)
    .where("subject", "=", who.subject)
    .executeTakeFirst();
}

/** A user's linked accounts, oldest first. */
export async function listUserLinks(db: Db, userId: number): Promise<LinkRow[]> {
  return tables(db)
    .selectFrom("linked_account")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
}

/** False if the link exists already. */
export async function insertLink(db: Db, row: Omit<LinkRow, "id">): Promise<boolean> {
  const written = await tables(db)
    .insertInto("linked_account")
    .values(row)
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .executeTakeFirst();
  return (written.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Records that a link was used, with the provider's current name. False if it is gone. */
export async function touchLink(
  db: Db,
  id: number,
  used: { provider: string; at: string },
): Promise<boolean> {
  const touched = await tables(db)
    .updateTable("linked_account")
    .set({ provider: used.provider, last_used_at: used.at })
    .where("id", "=", id)
    .executeTakeFirst();
  return touched.numUpdatedRows > 0n;
}

/** Removes a user's links with a provider and returns their number. */
export async function deleteLinksWith(db: Db, userId: number, provider: string): Promise<number> {
  const result = await tables(db)
    .deleteFrom("linked_account")
    .where("user_id", "=", userId)
    .where("provider", "=", provider)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/**
 * Locks a user's row until the end of the transaction, so that no other transaction links or
 * unlinks; undefined if the user is gone.
 */
export async function lockUser(
  db: Db,
  userId: number,
): Promise<{ email: string; hasPassword: boolean } | undefined> {
  const row = await tables(db)
    .updateTable("user_account")
    .set((eb) => ({ updated_at: eb.ref("updated_at") }))
    .where("id", "=", userId)
    .returning(["email", "password_hash"])
    .executeTakeFirst();
  return row && { email: row.email, hasPassword: row.password_hash !== null };
}
