import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import {
  assertSameOriginRead,
  assertSameOrigin,
  changesState,
} from "../../platform/http/origin.ts";
import { type SessionCookie, sessionCookie } from "../../platform/http/session-cookie.ts";
import { findApiTokenOwner, type TokenScope } from "./api-tokens.ts";
import { absoluteLifetime, type AdminSession, makeSessions, type Sessions } from "./sessions.ts";
import { makeSteadyClock } from "../../platform/steady-clock.ts";

/** The sender of a guarded request. */
export type Admin =
  | { kind: "session"; sessionHash: string; expiresAt: string }
  | { kind: "token"; name: string; scopes: TokenScope[] };

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the admin guard. */
    admin?: Admin;
  }
}

/** The session that a guard found; for routes that don't accept tokens. */
export function sessionOf({ admin }: { admin?: Admin }): Extract<Admin, { kind: "session" }> {
  if (admin?.kind === "session") return admin;
  throw new AppError("unauthenticated", "Sign in as the admin first.");
}

/** The parts of a request that the guard reads and writes. */
export interface GuardedRequest {
  method: string;
  headers: IncomingHttpHeaders;
  admin?: Admin;
}

type Guard = (request: GuardedRequest) => Promise<void>;

/**
 * The guards are hooks for `onRequest` (before the body is read, so that nothing about a route's
 * schema is revealed) or `preHandler`. They set `request.admin` and throw `unauthenticated`,
 * `forbidden`, `bad_origin`, or, if the database is unavailable, `unavailable`.
 */
export interface AdminGuard {
  /**
   * Requires an admin session, with the origin check, or a bearer token with the scope. Whatever
   * the route names, a request that may change something needs `write`, without exceptions.
   */
  requireAdmin(scope: TokenScope): Guard;
  /** Requires an admin session, with the origin check; tokens are refused. */
  requireSession(): Guard;
  /** Requires a bearer token of any scope, for reading; sessions are refused. */
  requireToken(): Guard;
  /** The session of a request, without an origin check; null for none. */
  findSession(request: { headers: IncomingHttpHeaders }): Promise<AdminSession | null>;
  readonly cookie: SessionCookie;
  /** The sessions that the guard finds, so that the sign-in has the same clock. */
  readonly sessions: Sessions;
}

const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i;

function challenge(error?: "invalid_token" | "insufficient_scope", scope?: string) {
  const parts = [
    'Bearer realm="vitrine"',
    error && `error="${error}"`,
    scope && `scope="${scope}"`,
  ];
  return { "www-authenticate": parts.filter(Boolean).join(", ") };
}

/**
 * The scope that a token needs: the one the route names, and `write` for every method that may
 * change something.
 */
function neededScope(method: string, scope: TokenScope | null): TokenScope | null {
  return changesState(method) ? "write" : scope;
}

/**
 * A database failure says nothing about the caller: it becomes 503, so nobody is let in or signed
 * out.
 */
async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (cause) {
    throw new AppError(
      "unavailable",
      "The sign-in can't be checked right now. Try again in a moment.",
      { cause },
    );
  }
}

/** Identifies the admin by the session cookie or a bearer token (RFC 6750). */
export function makeAdminGuard(options: {
  db: Db;
  clock: Clock;
  config: Pick<Config, "baseUrl">;
}): AdminGuard {
  const { db, clock, config } = options;
  const sessions = makeSessions({ db, clock });
  const steady = makeSteadyClock(clock);
  const cookie = sessionCookie({
    baseUrl: config.baseUrl,
    name: "vitrine_admin",
    lifetimeMs: absoluteLifetime,
  });
  const origins = [new URL(config.baseUrl).origin];

  async function findSession(request: {
    headers: IncomingHttpHeaders;
  }): Promise<AdminSession | null> {
    for (const id of cookie.read(request.headers.cookie)) {
      const session = await ask(() => sessions.find(id));
      if (session) return session;
    }
    return null;
  }

  const requireSession: Guard = async (request) => {
    if (changesState(request.method)) assertSameOrigin(request, origins);
    const session = await findSession(request);
    if (!session) throw new AppError("unauthenticated", "Sign in as the admin first.");
    if (!changesState(request.method)) assertSameOriginRead(request, origins);
    const { idHash, expiresAt } = session;
    request.admin = { kind: "session", sessionHash: idHash, expiresAt };
  };

  async function admitToken(request: GuardedRequest, named: TokenScope | null): Promise<void> {
    const scope = neededScope(request.method, named);
    const token = bearer.exec(request.headers.authorization ?? "")?.[1];
    const owner = token ? await ask(() => findApiTokenOwner(db, steady.now(), token)) : null;
    if (!owner) {
      const headers = challenge(request.headers.authorization ? "invalid_token" : undefined);
      throw new AppError("unauthenticated", "A valid bearer token is required.", { headers });
    }
    if (scope !== null && !owner.scopes.includes(scope)) {
      throw new AppError("forbidden", `This token lacks the scope ${scope}.`, {
        headers: challenge("insufficient_scope", scope),
      });
    }
    request.admin = { kind: "token", ...owner };
  }

  return {
    requireAdmin: (scope) => (request) =>
      request.headers.authorization === undefined
        ? requireSession(request)
        : admitToken(request, scope),
    requireSession: () => requireSession,
    requireToken: () => (request) => admitToken(request, null),
    findSession,
    cookie,
    sessions,
  };
}
