import type { Generated, Selectable } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { User } from "./account.ts";

interface UserTable {
  id: Generated<number>;
  email: string;
  name: string;
  /** PHC string; null for users who sign in only with a provider. */
  password_hash: string | null;
  password_set_at: string | null;
  email_verified_at: string | null;
  created_at: string;
  updated_at: string;
}

interface LinkedAccountTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  issuer: string;
  subject: string;
  email: string;
  created_at: string;
  last_used_at: string | null;
}

export type UserRow = Selectable<UserTable>;
type ConfirmedRow = UserRow & { email_verified_at: string };

function tables(db: Db) {
  return db.withTables<{ user_account: UserTable; linked_account: LinkedAccountTable }>();
}

/** A user as the rest of the product sees it. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    verified: row.email_verified_at !== null,
    hasPassword: row.password_hash !== null,
    createdAt: row.created_at,
  };
}

/** Whether the address of an account is confirmed. */
export function isConfirmed(row: UserRow | undefined): row is ConfirmedRow {
  return row !== undefined && row.email_verified_at !== null;
}

/** Finds a user's row by the lowercase address. */
export async function findUserRow(db: Db, email: string): Promise<UserRow | undefined> {
  return tables(db)
    .selectFrom("user_account")
    .selectAll()
    .where("email", "=", email)
    .executeTakeFirst();
}

export async function findUserRowById(db: Db, id: number): Promise<UserRow | undefined> {
  return tables(db).selectFrom("user_account").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Finds a user by address, regardless of case. */
export async function findUserByEmail(db: Db, email: string): Promise<User | null> {
  const row = await findUserRow(db, email.toLowerCase());
  return row ? toUser(row) : null;
}

export async function findUserById(db: Db, id: number): Promise<User | null> {
  const row = await findUserRowById(db, id);
  return row ? toUser(row) : null;
}

/** Data of a new user. `now` and `verifiedAt` are ISO 8601. */
export interface NewUser {
  email: string;
  name: string;
  passwordHash: string | null;
  /** Null while the address is unconfirmed. */
  verifiedAt: string | null;
  now: string;
}

/** Inserts a user and returns the ID; null if the address is taken. */
export async function insertUser(db: Db, user: NewUser): Promise<number | null> {
  const row = await tables(db)
    .insertInto("user_account")
    .values({
      email: user.email.toLowerCase(),
      name: user.name,
      password_hash: user.passwordHash,
      password_set_at: user.passwordHash === null ? null : user.now,
      email_verified_at: user.verifiedAt,
      created_at: user.now,
      updated_at: user.now,
    })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Confirms a user's address if it isn't confirmed yet; `now` is ISO 8601. */
export async function confirmUser(db: Db, id: number, now: string): Promise<void> {
  await tables(db)
    .updateTable("user_account")
    .set({ email_verified_at: now, updated_at: now })
    .where("id", "=", id)
    .where("email_verified_at", "is", null)
    .execute();
}

/** Sets a password's hash; `now` is ISO 8601. */
export async function setPasswordHash(
  db: Db,
  id: number,
  passwordHash: string,
  now: string,
): Promise<void> {
  await tables(db)
    .updateTable("user_account")
    .set({ password_hash: passwordHash, password_set_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
}

/**
 * Locks a user's row until the end of the transaction and replaces the hash that a password was
 * compared with; false if the hash has changed.
 */
export async function compareAndSetPasswordHash(
  db: Db,
  id: number,
  hashes: { compared: string; next: string },
): Promise<boolean> {
  const result = await tables(db)
    .updateTable("user_account")
    .set({ password_hash: hashes.next })
    .where("id", "=", id)
    .where("password_hash", "=", hashes.compared)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Replaces name and password of an unconfirmed account. False if it is confirmed or gone. */
export async function replaceUnconfirmed(
  db: Db,
  id: number,
  change: { name: string; passwordHash: string; now: string },
): Promise<boolean> {
  const result = await tables(db)
    .updateTable("user_account")
    .set({
      name: change.name,
      password_hash: change.passwordHash,
      password_set_at: change.now,
      updated_at: change.now,
    })
    .where("id", "=", id)
    .where("email_verified_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/** Locks a user's row until the end of the transaction, so that changes happen one at a time. */
export async function lockUser(db: Db, id: number): Promise<void> {
  await tables(db)
    .updateTable("user_account")
    .set((eb) => ({ email: eb.ref("email") }))
    .where("id", "=", id)
    .execute();
}

/**
 * Deletes unconfirmed accounts that haven't changed since `before` (ISO 8601); returns their
 * number.
 */
export async function deleteUnconfirmed(db: Db, before: string): Promise<number> {
  const result = await tables(db)
    .deleteFrom("user_account")
    .where("email_verified_at", "is", null)
    .where("updated_at", "<", before)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** A user's linked accounts, for an export. */
export async function listLinks(db: Db, userId: number) {
  return tables(db)
    .selectFrom("linked_account")
    .select([
      "provider",
      "issuer",
      "subject",
      "email",
      "created_at as createdAt",
      "last_used_at as lastUsedAt",
    ])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
}

/** Deletes a user with sessions, linked accounts, and tokens. False if there is none. */
export async function deleteUser(db: Db, id: number): Promise<boolean> {
  const result = await tables(db)
    .deleteFrom("user_account")
    .where("id", "=", id)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Addresses of the accounts after an ID, in order: the users' own and those of linked accounts. */
export async function listEmailsAfter(
  db: Db,
  id: number,
  limit: number,
): Promise<{ id: number; emails: string[] }[]> {
  const users = await tables(db)
    .selectFrom("user_account")
    .select(["id", "email"])
    .where("id", ">", id)
    .orderBy("id")
    .limit(limit)
    .execute();
  if (users.length === 0) return [];
  const links = await tables(db)
    .selectFrom("linked_account")
    .select(["user_id", "email"])
    .where("user_id", ">", id)
    .where("user_id", "<=", users.at(-1)?.id ?? id)
    .execute();
  const linked = Map.groupBy(links, (link) => link.user_id);
  return users.map((user) => {
    const others = (linked.get(user.id) ?? []).map(({ email }) => email);
    return { id: user.id, emails: [user.email, ...others] };
  });
}
