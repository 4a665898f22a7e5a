import type { Clock } from "../../kit/clock.ts";
import { randomToken, sha256Hex } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { makeSteadyClock } from "../../platform/steady-clock.ts";
import type { SignedIn, SignedInUser, UserSession, Visitor } from "./account.ts";
import {
  deleteSession,
  deleteSurplusSessions,
  insertSession,
  type LiveSessionRow,
  prepareReadSession,
  readLatestSeen,
  type SessionRow,
  touchSession,
} from "./session-store.ts";
import { findUserById } from "./store.ts";

/** Users' signed-in browsers. */
export interface UserSessions {
  /**
   * Starts a session with a new ID; sessions of the user beyond the newest 20 end. `db` can be a
   * transaction. `method` is `password`, `invite`, or a provider's ID.
   */
  start(
    db: Db,
    userId: number,
    how: { method: string; visitor: Pick<Visitor, "address" | "userAgent"> },
  ): Promise<SignedIn>;
  /** The user of a cookie's value, or null; extends the session. */
  find(cookieValue: string): Promise<SignedInUser | null>;
  end(idHash: string): Promise<void>;
  /** The time by which sessions expire, ms; it never goes backwards. */
  now(): number;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** A session ends after this long without use, ms. */
export const idleLifetime = 30 * day;
/** And after this long at the latest, ms. */
export const absoluteLifetime = 180 * day;
/** `lastSeenAt` is written at most this often, ms. */
const touchInterval = minute;
/** Maximum signed-in browsers of a user. */
export const maxSessionsPerUser = 20;
const maxUserAgentLength = 300;

const idShape = /^[A-Za-z0-9_-]{43}$/;

export function toSession(row: SessionRow): UserSession {
  return {
    idHash: row.id_hash,
    userId: row.user_id,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    method: row.method,
    ip: row.ip,
    userAgent: row.user_agent,
  };
}

function toSignedIn(row: LiveSessionRow): SignedInUser {
  return {
    user: {
      id: row.user_id,
      email: row.email,
      name: row.name,
      verified: row.email_verified_at !== null,
      hasPassword: row.password_hash !== null,
      createdAt: row.user_created_at,
    },
    session: toSession(row),
  };
}

/** The start of a user agent, without control characters. */
function cleanUserAgent(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .normalize("NFC");
  return Array.from(clean).slice(0, maxUserAgentLength).join("");
}

function expiryAt(createdAt: number, lastSeenAt: number): string {
  return isoTime(Math.min(createdAt + absoluteLifetime, lastSeenAt + idleLifetime));
}

/**
 * Sessions in the database, shared by all processes. A session has expired if it has by the latest
 * time that this process or any session in the database has seen, and is then deleted, so setting
 * the clock back revives none. A new session begins at that time, so it outlives a clock that ran
 * ahead of the process that starts it.
 */
export function makeUserSessions({ db, clock }: { db: Db; clock: Clock }): UserSessions {
  const steady = makeSteadyClock(clock);
  const readSession = prepareReadSession(db);

  async function touch(row: LiveSessionRow, now: number): Promise<SignedInUser> {
    if (now - Date.parse(row.last_seen_at) < touchInterval) return toSignedIn(row);
    const times = {
      last_seen_at: isoTime(now),
      expires_at: expiryAt(Date.parse(row.created_at), now),
    };
    await touchSession(db, row.id_hash, times);
    return toSignedIn({ ...row, ...times });
  }

  return {
    async start(given, userId, { method, visitor }) {
      const cookieValue = randomToken();
      const latest = await readLatestSeen(given);
      if (latest !== null) steady.observe(Date.parse(latest));
      const now = steady.now();
      const row: SessionRow = {
        id_hash: sha256Hex(cookieValue),
        user_id: userId,
        created_at: isoTime(now),
        last_seen_at: isoTime(now),
        expires_at: expiryAt(now, now),
        method,
        ip: visitor.address,
        user_agent: cleanUserAgent(visitor.userAgent),
      };
      await insertSession(given, row);
      await deleteSurplusSessions(given, userId, maxSessionsPerUser);
      const user = await findUserById(given, userId);
      if (!user) throw new Error(`A session for user ${userId}, who is not there.`);
      return { user, session: toSession(row), cookieValue };
    },
    async find(cookieValue) {
      if (!idShape.test(cookieValue)) return null;
      const row = await readSession(sha256Hex(cookieValue));
      if (!row) return null;
      steady.observe(Date.parse(row.latest));
      const now = steady.now();
      if (Date.parse(row.expires_at) > now) return touch(row, now);
      if (now <= clock.now()) await deleteSession(db, row.id_hash);
      // The row, which stays expired, tells other processes when the next session begins.
      else
        await touchSession(db, row.id_hash, {
          last_seen_at: isoTime(now),
          expires_at: row.expires_at,
        });
      return null;
    },
    end: (idHash) => deleteSession(db, idHash),
    now: () => steady.now(),
  };
}
