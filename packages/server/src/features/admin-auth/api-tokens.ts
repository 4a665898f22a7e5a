import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { cleanText } from "../../kit/text.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { isApiToken, newApiToken } from "./credentials.ts";
import {
  type ApiTokenRow,
  findApiToken,
  insertApiToken,
  listApiTokens as listRows,
  revokeApiToken as revokeRow,
  touchApiToken,
} from "./store.ts";

export const tokenScopes = ["read", "write"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The owner of a bearer token. */
export interface ApiTokenOwner {
  name: string;
  scopes: TokenScope[];
}

const maxName = 80;
/** After the first use, `lastUsedAt` is written at most this often, ms. */
const touchInterval = 60_000;

function refuse(field: string, problem: string): never {
  throw new AppError("validation_failed", `The ${field} ${problem}.`, {
    fields: { [field]: problem },
  });
}

function expiry(expires: string | undefined, now: number): string | null {
  if (expires === undefined) return null;
  const at = Date.parse(expires);
  if (Number.isNaN(at)) refuse("expires", "must be a date such as 2027-01-31");
  if (at <= now) refuse("expires", "is in the past");
  return isoTime(at);
}

function scopesOf(text: string): TokenScope[] {
  const scopes = JSON.parse(text) as string[];
  return tokenScopes.filter((scope) => scopes.includes(scope));
}

/**
 * Creates a bearer token and returns it; only its hash is stored. `expires` is an ISO 8601 date or
 * time. Throws `validation_failed`, or `already_exists` if a live token has the name.
 */
export async function createApiToken(options: {
  db: Db;
  clock: Clock;
  name: string;
  scopes: readonly string[];
  expires?: string | undefined;
}): Promise<ApiTokenOwner & { token: string; expiresAt: string | null }> {
  const { db, clock } = options;
  const name = cleanText(options.name);
  if (name === "" || name.length > maxName) refuse("name", `must be 1 to ${maxName} characters`);
  const scopes = tokenScopes.filter((scope) => options.scopes.includes(scope));
  if (scopes.length === 0 || scopes.length < new Set(options.scopes).size) {
    refuse("scopes", `must be one of ${tokenScopes.join(", ")}`);
  }
  const now = clock.now();
  const expiresAt = expiry(options.expires, now);
  const token = newApiToken();
  const inserted = await insertApiToken(db, {
    name,
    token_hash: sha256Hex(token),
    scopes: JSON.stringify(scopes),
    created_at: isoTime(now),
    last_used_at: null,
    expires_at: expiresAt,
    revoked_at: null,
  });
  if (!inserted) throw new AppError("already_exists", `A token named ${name} already exists.`);
  return { name, scopes, token, expiresAt };
}

/** Revokes a token immediately. Throws `not_found` if no live token has the name. */
export async function revokeApiToken(options: {
  db: Db;
  clock: Clock;
  name: string;
}): Promise<{ name: string; revokedAt: string }> {
  const name = cleanText(options.name);
  const revokedAt = isoTime(options.clock.now());
  if (await revokeRow(options.db, name, revokedAt)) return { name, revokedAt };
  throw new AppError("not_found", `There is no active token named ${name}.`);
}

/** A token without its secret. */
export interface ApiTokenView extends ApiTokenOwner {
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** All tokens, newest first. */
export async function listApiTokens(db: Db): Promise<ApiTokenView[]> {
  const rows = await listRows(db);
  return rows.map((row) => ({
    name: row.name,
    scopes: scopesOf(row.scopes),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }));
}

function isLive(row: ApiTokenRow, now: number): boolean {
  if (row.revoked_at !== null) return false;
  // A token can't have been used after it expired, so the clock was set back.
  const latest = Math.max(now, Date.parse(row.last_used_at ?? row.created_at));
  return row.expires_at === null || Date.parse(row.expires_at) > latest;
}

/** The owner of a live token; null for anything else. */
export async function findApiTokenOwner(
  db: Db,
  now: number,
  token: string,
): Promise<ApiTokenOwner | null> {
  if (!isApiToken(token)) return null;
  const hash = sha256Hex(token);
  const row = await findApiToken(db, hash);
  if (!row || !isLive(row, now)) return null;
  const { last_used_at: usedAt } = row;
  if (usedAt === null || now - Date.parse(usedAt) >= touchInterval) {
    await touchApiToken(db, hash, isoTime(now));
  }
  return { name: row.name, scopes: scopesOf(row.scopes) };
}
