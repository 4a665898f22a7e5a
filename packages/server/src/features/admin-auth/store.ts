import { type Generated, type Selectable, sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

interface AccountTable {
  id: number;
  password_hash: string | null;
  password_set_at: string | null;
  token_hash: string | null;
  token_set_at: string | null;
  /**
   * Incremented when the password or the link changes, which invalidates sessions of older
   * versions.
   */
  version: number;
}

interface LogTable {
  at: string;
  method: "password" | "link";
  outcome: "success" | "failure" | "throttled";
  ip: string;
  user_agent: string;
}

interface SessionTable {
  id_hash: string;
  account_version: number;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  ip: string;
  user_agent: string;
}

interface ApiTokenTable {
  name: string;
  token_hash: string;
  scopes: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export type Account = Omit<AccountTable, "id">;
export type LogEntry = LogTable;
export type SessionRow = Selectable<SessionTable>;
export type ApiTokenRow = Selectable<ApiTokenTable>;

/** Rows kept for each outcome, so that a flood of one kind can't push out the others. */
export const maxLogRowsPerOutcome = 10_000;

/** Rows per insert, well below SQLite's parameter limit. */
const insertChunk = 500;

function tables(db: Db) {
  return db.withTables<{
    admin_account: AccountTable;
    admin_log: LogTable & { id: Generated<number> };
    admin_session: SessionTable;
    api_token: ApiTokenTable;
  }>();
}

const noAccount: Account = {
  password_hash: null,
  password_set_at: null,
  token_hash: null,
  token_set_at: null,
  version: 0,
};

/** The admin account; without secrets if none was ever set. */
export async function readAccount(db: Db): Promise<Account> {
  const row = await tables(db).selectFrom("admin_account").selectAll().executeTakeFirst();
  return row ?? noAccount;
}

/** Sets the hash of the password or the link and ends all sessions, in one transaction. */
export async function replaceSecret(
  db: Db,
  secret: { kind: "password" | "token"; hash: string; at: string },
): Promise<void> {
  const changed =
    secret.kind === "password"
      ? { password_hash: secret.hash, password_set_at: secret.at }
      : { token_hash: secret.hash, token_set_at: secret.at };
  await db.transaction().execute(async (transaction) => {
    await tables(transaction)
      .insertInto("admin_account")
      .values({ id: 1, ...noAccount, ...changed, version: 1 })
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet({ ...changed, version: sql<number>`admin_account.version + 1` }),
      )
      .execute();
    await tables(transaction).deleteFrom("admin_session").execute();
  });
}

/**
 * Changes the password of the account of `expectedVersion`; the session `keepSession` continues,
 * all others end. Returns false and changes nothing if the account has a different version by now.
 */
export async function changePassword(
  db: Db,
  change: { hash: string; at: string; expectedVersion: number; keepSession: string },
): Promise<boolean> {
  const version = change.expectedVersion + 1;
  return db.transaction().execute(async (transaction) => {
    const result = await tables(transaction)
      .updateTable("admin_account")
      .set({ password_hash: change.hash, password_set_at: change.at, version })
      .where("version", "=", change.expectedVersion)
      .executeTakeFirst();
    if (Number(result.numUpdatedRows) === 0) return false;
    await tables(transaction)
      .deleteFrom("admin_session")
      .where("id_hash", "!=", change.keepSession)
      .execute();
    await tables(transaction)
      .updateTable("admin_session")
      .set({ account_version: version })
      .where("id_hash", "=", change.keepSession)
      .execute();
    return true;
  });
}

/** Appends rows to the log in one transaction. */
export async function appendLog(db: Db, entries: readonly LogEntry[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (let start = 0; start < entries.length; start += insertChunk) {
      const chunk = entries.slice(start, start + insertChunk);
      await tables(transaction).insertInto("admin_log").values(chunk).execute();
    }
  });
}

/** A page of the log, newest first, with the total number of matching rows. */
export async function listLog(
  db: Db,
  wanted: {
    page: number;
    perPage: number;
    method?: LogEntry["method"] | undefined;
    outcome?: LogEntry["outcome"] | undefined;
  },
): Promise<{ rows: (LogEntry & { id: number })[]; total: number }> {
  const { page, perPage, method, outcome } = wanted;
  let query = tables(db).selectFrom("admin_log");
  if (method) query = query.where("method", "=", method);
  if (outcome) query = query.where("outcome", "=", outcome);
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await query
    .selectAll()
    .orderBy("id", "desc")
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  return { rows, total: Number(total) };
}

/** How many sign-ins are remembered as the admin's; few, because it is read during floods. */
const maxFamiliarSignIns = 200;

/** The addresses of the admin's last sign-ins. */
export async function listSignInAddresses(db: Db): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("admin_log")
    .select("ip")
    .where("outcome", "=", "success")
    .orderBy("id", "desc")
    .limit(maxFamiliarSignIns)
    .execute();
  return rows.map(({ ip }) => ip);
}

/** Deletes rows beyond the newest `maxLogRowsPerOutcome` of each outcome. */
export async function pruneLog(db: Db, keep = maxLogRowsPerOutcome): Promise<void> {
  for (const outcome of ["success", "failure", "throttled"] as const) {
    const oldest = await tables(db)
      .selectFrom("admin_log")
      .select("id")
      .where("outcome", "=", outcome)
      .orderBy("id", "desc")
      .offset(keep - 1)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) continue;
    await tables(db)
      .deleteFrom("admin_log")
      .where("outcome", "=", outcome)
      .where("id", "<", oldest.id)
      .execute();
  }
}

/**
 * Inserts a session together with its log row and deletes expired sessions. Returns false and
 * writes nothing if the account has changed since `session.account_version` was read.
 */
export async function insertSession(
  db: Db,
  session: SessionRow,
  entry: LogEntry,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { version } = await readAccount(transaction);
    if (version !== session.account_version) return false;
    await tables(transaction)
      .deleteFrom("admin_session")
      .where("expires_at", "<=", session.created_at)
      .execute();
    await tables(transaction).insertInto("admin_session").values(session).execute();
    await tables(transaction).insertInto("admin_log").values(entry).execute();
    return true;
  });
}

/** The latest time that any session was seen, ISO 8601; null without sessions. */
export async function readLatestSeen(db: Db): Promise<string | null> {
  const { latest } = await tables(db)
    .selectFrom("admin_session")
    .select(({ fn }) => fn.max<string | null>("last_seen_at").as("latest"))
    .executeTakeFirstOrThrow();
  return latest;
}

/** A session of the account's current version, with the latest time that any session was seen. */
export type LiveSessionRow = SessionRow & { latest: string };

/**
 * Prepares the query that finds a session by its ID's hash. It runs at every request of the admin,
 * so it is compiled once.
 */
export function prepareReadSession(
  db: Db,
): (idHash: string) => Promise<LiveSessionRow | undefined> {
  const query = tables(db)
    .selectFrom("admin_session as session")
    .innerJoin("admin_account as account", "account.version", "session.account_version")
    .selectAll("session")
    .select((eb) =>
      eb
        .selectFrom("admin_session as seen")
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
    .updateTable("admin_session")
    .set(times)
    .where("id_hash", "=", idHash)
    .where("last_seen_at", "<", times.last_seen_at)
    .execute();
}

export async function deleteSession(db: Db, idHash: string): Promise<void> {
  await tables(db).deleteFrom("admin_session").where("id_hash", "=", idHash).execute();
}

/** Inserts a token; false if a live one has the name. */
export async function insertApiToken(db: Db, token: ApiTokenRow): Promise<boolean> {
  const result = await tables(db)
    .insertInto("api_token")
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** All tokens, newest first, including revoked ones. */
export async function listApiTokens(db: Db): Promise<Omit<ApiTokenRow, "token_hash">[]> {
  return tables(db)
    .selectFrom("api_token")
    .select(["name", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at"])
    .orderBy("created_at", "desc")
    .orderBy("name")
    .execute();
}

export async function findApiToken(db: Db, tokenHash: string): Promise<ApiTokenRow | undefined> {
  return tables(db)
    .selectFrom("api_token")
    .select([
      "name",
      "token_hash",
      "scopes",
      "created_at",
      "last_used_at",
      "expires_at",
      "revoked_at",
    ])
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
}

export async function touchApiToken(db: Db, tokenHash: string, at: string): Promise<void> {
  await tables(db)
    .updateTable("api_token")
    .set({ last_used_at: at })
    .where("token_hash", "=", tokenHash)
    .execute();
}

/** Revokes the live token with a name; false if there is none. */
export async function revokeApiToken(db: Db, name: string, at: string): Promise<boolean> {
  const result = await tables(db)
    .updateTable("api_token")
    .set({ revoked_at: at })
    .where("name", "=", name)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
