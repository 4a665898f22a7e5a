import { AppError } from "../../kit/errors.ts";
import { randomToken, sha256Hex } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import {
  deleteTokens,
  findToken,
  insertToken,
  type TokenPurpose,
  type TokenRow,
  useToken,
} from "./token-store.ts";

export type { TokenPurpose } from "./token-store.ts";

const hour = 60 * 60_000;

/** How long an emailed link is valid, ms. */
export const tokenLifetimes: Readonly<Record<TokenPurpose, number>> = {
  verify: 24 * hour,
  reset: hour,
  invite: 14 * 24 * hour,
};

/** 43 characters of base64url carry 256 bits (RFC 4648, section 5). */
const shape = /^[A-Za-z0-9_-]{43}$/;

/** What a new token is for. */
export interface TokenRequest {
  purpose: TokenPurpose;
  /** The recipient, in lowercase. */
  email: string;
  /** Null for an invitation to somebody without an account. */
  userId: number | null;
  /** Current time, ms. */
  now: number;
  /** Defaults to the lifetime of its purpose. */
  lifetimeMs?: number;
}

/**
 * Creates a token and returns it; only its hash is stored. The address's other tokens for the same
 * purpose become invalid.
 */
export async function issueToken(db: Db, request: TokenRequest): Promise<string> {
  const { purpose, email, userId, now, lifetimeMs = tokenLifetimes[purpose] } = request;
  const token = randomToken();
  await deleteTokens(db, email, purpose);
  await insertToken(db, {
    token_hash: sha256Hex(token),
    purpose,
    email,
    user_id: userId,
    created_at: isoTime(now),
    expires_at: isoTime(now + lifetimeMs),
    used_at: null,
  });
  return token;
}

/** The recipient of a token, without using it up; null if it is invalid. */
export async function readToken(
  db: Db,
  token: string,
  purpose: TokenPurpose,
  now: number,
): Promise<TokenRow | null> {
  if (!shape.test(token)) return null;
  const found = await findToken(db, { hash: sha256Hex(token), purpose, now: isoTime(now) });
  return found ?? null;
}

/** Uses up a token for its purpose. Throws `bad_token` if it is invalid. */
export async function takeToken(
  db: Db,
  token: string,
  purpose: TokenPurpose,
  now: number,
): Promise<TokenRow> {
  const taken = shape.test(token)
    ? await useToken(db, { hash: sha256Hex(token), purpose, now: isoTime(now) })
    : undefined;
  if (taken) return taken;
  throw badToken();
}

/** The error for an invalid or expired link. */
export function badToken(): AppError {
  return new AppError("bad_token", "This link has expired or was already used. Request a new one.");
}
