import type { Clock } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { isSessionId, newSessionId } from "./credentials.ts";
import { makeSteadyClock } from "../../platform/steady-clock.ts";
import {
  deleteSession,
  insertSession,
  prepareReadSession,
  readLatestSeen,
  type SessionRow,
  touchSession,
} from "./store.ts";

/** A signed-in browser. Times are ISO 8601. */
export interface AdminSession {
  /** SHA-256 of the ID in the cookie: identifies the session but can't be used to sign in. */
  idHash: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  ip: string;
  userAgent: string;
}

export interface NewSession {
  /** The cookie's value; not stored anywhere else. */
  id: string;
  session: AdminSession;
}

export interface Sessions {
  /**
   * Starts a session for an account of `accountVersion`, with the log row of the sign-in. Null if
   * the password or link was changed in the meantime.
   */
  start(client: {
    accountVersion: number;
    method: "password" | "link";
    ip: string;
    userAgent: string;
  }): Promise<NewSession | null>;
  /** The live session of a cookie's value, or null; extends the session. */
  find(id: string): Promise<AdminSession | null>;
  /** Whether the session is still alive; doesn't extend it. */
  isAlive(idHash: string): Promise<boolean>;
  end(idHash: string): Promise<void>;
}

const minute = 60_000;
const hour = 60 * minute;
/** A session ends after this long without use, ms. */
export const idleLifetime = 12 * hour;
/** And after this long at the latest, ms. */
export const absoluteLifetime = 7 * 24 * hour;
/** `lastSeenAt` is written at most this often, ms. */
const touchInterval = minute;

function toSession(row: SessionRow): AdminSession {
  return {
    idHash: row.id_hash,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    ip: row.ip,
    userAgent: row.user_agent,
  };
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
export function makeSessions({ db, clock }: { db: Db; clock: Clock }): Sessions {
  const steady = makeSteadyClock(clock);
  const readSession = prepareReadSession(db);

  async function findLive(idHash: string): Promise<{ row: SessionRow; now: number } | null> {
    const row = await readSession(idHash);
    if (!row) return null;
    steady.observe(Date.parse(row.latest));
    const now = steady.now();
    if (Date.parse(row.expires_at) > now) return { row, now };
    if (now <= clock.now()) await deleteSession(db, idHash);
    // The row, which stays expired, tells other processes the time that the next session begins at.
    else await touchSession(db, idHash, { last_seen_at: isoTime(now), expires_at: row.expires_at });
    return null;
  }

  async function touch(row: SessionRow, now: number): Promise<AdminSession> {
    if (now - Date.parse(row.last_seen_at) < touchInterval) return toSession(row);
    const times = {
      last_seen_at: isoTime(now),
      expires_at: expiryAt(Date.parse(row.created_at), now),
    };
    await touchSession(db, row.id_hash, times);
    return toSession({ ...row, ...times });
  }

  return {
    async start({ accountVersion, method, ip, userAgent }) {
      const id = newSessionId();
      const latest = await readLatestSeen(db);
      if (latest !== null) steady.observe(Date.parse(latest));
      const now = steady.now();
      const row: SessionRow = {
        id_hash: sha256Hex(id),
        account_version: accountVersion,
        created_at: isoTime(now),
        last_seen_at: isoTime(now),
        expires_at: expiryAt(now, now),
        ip,
        user_agent: userAgent,
      };
      const at = isoTime(clock.now());
      const entry = { at, method, outcome: "success", ip, user_agent: userAgent } as const;
      return (await insertSession(db, row, entry)) ? { id, session: toSession(row) } : null;
    },
    async find(id) {
      if (!isSessionId(id)) return null;
      const alive = await findLive(sha256Hex(id));
      return alive && touch(alive.row, alive.now);
    },
    async isAlive(idHash) {
      return (await findLive(idHash)) !== null;
    },
    end: (idHash) => deleteSession(db, idHash),
  };
}

/** Whether a session is still alive, for callers without a Sessions object. */
export async function isSessionAlive(db: Db, clock: Clock, idHash: string): Promise<boolean> {
  return makeSessions({ db, clock }).isAlive(idHash);
}
