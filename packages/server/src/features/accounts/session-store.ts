import type { Db } from "../../platform/db/connect.ts";

export interface SessionRow {
  id_hash: string;
  user_id: number;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  method: string;
  ip: string;
  user_agent: string;
}

interface OwnerTable {
  id: number;
  email: string;
  name: string;
  password_hash: string | null;
  email_verified_at: string | null;
  created_at: string;
}

/** A session with its user, and the latest time that any session was seen. */
export type LiveSessionRow = SessionRow & {
  email: string;
  name: string;
  password_hash: string | null;
  email_verified_at: string | null;
  user_created_at: string;
  latest: string;
};

function tables(db: Db) {
  return db.withTables<{ user_session: SessionRow; user_account: OwnerTable }>();
}

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await tables(db).insertInto("user_session").values(row).execute();
}

/** The latest time that any session was seen, ISO 8601; null without sessions. */
export async function readLatestSeen(db: Db): Promise<string | null> {
  const { latest } = await tables(db)
    .selectFrom("user_session")
    .select(({ fn }) => fn.max<string | null>("last_seen_at").as("latest"))
    .executeTakeFirstOrThrow();
  return latest;
}

/**
 * Prepares the query that finds a session by its ID's hash. It runs at every request of a signed-in
 * user, so it is compiled once.
 */
export function prepareReadSession(
  db: Db,
): (idHash: string) => Promise<LiveSessionRow | undefined> {
  const query = tables(db)
    .selectFrom("user_session as session")
    .innerJoin("user_account as user", "user.id", "session.user_id")
    .selectAll("session")
    .select(["user.email", "user.name", "user.password_hash", "user.email_verified_at"])
    .select("user.created_at as user_created_at")
    .select((eb) =>
      eb
        .selectFrom("user_session as seen")
        .select((inner) => inner.fn.max<string>("seen.last_seen_at").as("latest"))
        .$asScalar()
        .$notNull()
        .as("latest"),
    )
    .where("session.id_hash", "=", "")
    .compile();
  return async (idHash) => {
    const { rows } = await db.executeQuery<LiveSessionRow>({ ...query, parameters: [idHash] });
    return rows[0];
  };
}

export async function touchSession(
  db: Db,
  idHash: string,
  times: { last_seen_at: string; expires_at: string },
): Promise<void> {
  await tables(db)
    .updateTable("user_session")
    .set(times)
    .where("id_hash", "=", idHash)
    .where("last_seen_at", "<", times.last_seen_at)
    .execute();
}

/** A user's sessions that expire after `now` (ISO 8601), last seen first. */
export async function listSessions(db: Db, userId: number, now: string): Promise<SessionRow[]> {
  return tables(db)
    .selectFrom("user_session")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .orderBy("last_seen_at", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id_hash")
    .execute();
}

export async function deleteSession(db: Db, idHash: string): Promise<void> {
  await tables(db).deleteFrom("user_session").where("id_hash", "=", idHash).execute();
}

/** Ends one of a user's sessions; false if it isn't theirs. */
export async function deleteOwnSession(db: Db, userId: number, idHash: string): Promise<boolean> {
  const result = await tables(db)
    .deleteFrom("user_session")
    .where("id_hash", "=", idHash)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Ends a user's sessions except the given one. */
export async function deleteSessions(db: Db, userId: number, but?: string): Promise<void> {
  let query = tables(db).deleteFrom("user_session").where("user_id", "=", userId);
  if (but !== undefined) query = query.where("id_hash", "!=", but);
  await query.execute();
}

/** Ends a user's least recently seen sessions beyond `keep`. */
export async function deleteSurplusSessions(db: Db, userId: number, keep: number): Promise<void> {
  const surplus = await tables(db)
    .selectFrom("user_session")
    .select("id_hash")
    .where("user_id", "=", userId)
    .orderBy("last_seen_at", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id_hash")
    .offset(keep)
    // SQLite doesn't support OFFSET without LIMIT.
    .limit(1000)
    .execute();
  if (surplus.length === 0) return;
  const hashes = surplus.map((row) => row.id_hash);
  await tables(db).deleteFrom("user_session").where("id_hash", "in", hashes).execute();
}

/** Removes sessions that expired before `now` (ISO 8601) and returns their number. */
export async function deleteExpiredSessions(db: Db, now: string): Promise<number> {
  const result = await tables(db)
    .deleteFrom("user_session")
    .where("expires_at", "<=", now)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Whether an account with this address has a session started from this IP address. */
export async function hasSessionFrom(db: Db, email: string, ip: string): Promise<boolean> {
  const row = await tables(db)
    .selectFrom("user_session as session")
    .innerJoin("user_account as user", "user.id", "session.user_id")
    .select("session.id_hash")
    .where("user.email", "=", email)
    .where("session.ip", "=", ip)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
