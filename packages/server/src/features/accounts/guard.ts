import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ClientOf, RequestLike } from "../../platform/http/client-address.ts";
import {
  assertSameOriginRead,
  assertSameOrigin,
  changesState,
} from "../../platform/http/origin.ts";
import { type SessionCookie, sessionCookie } from "../../platform/http/session-cookie.ts";
import type { SignedIn, SignedInUser, Visitor } from "./account.ts";
import { absoluteLifetime, makeUserSessions, type UserSessions } from "./sessions.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the account guard. */
    account?: SignedInUser;
  }
}

/** The parts of a request that the guard reads and writes. */
export interface AccountRequest {
  method: string;
  headers: IncomingHttpHeaders;
  account?: SignedInUser;
}

/** The parts of a response that the guard writes. */
export interface AccountReply {
  header(name: string, value: string): unknown;
}

/** The client of a request, for limits and records. */
export function visitorOf(clientOf: ClientOf, request: RequestLike): Visitor {
  return { ...clientOf(request), userAgent: request.headers["user-agent"] ?? "" };
}

/** Identifies signed-in users by the session cookie. */
export interface AccountGuard {
  /**
   * The user of a request, without an origin check; null if not signed in. Throws `unavailable` if
   * the database is unavailable.
   */
  find(request: { headers: IncomingHttpHeaders }): Promise<SignedInUser | null>;
  /**
   * An `onRequest` hook (before the body is read) that lets signed-in users in, checks the origin,
   * and sets `request.account`. Throws `unauthenticated`, `bad_origin`, `unavailable`.
   */
  require(): (request: AccountRequest) => Promise<void>;
  /**
   * Sets the cookie of a new session and ends the session that the browser sent, whoever planted
   * it.
   */
  issueCookie(request: AccountRequest, reply: AccountReply, signedIn: SignedIn): Promise<void>;
  /** Ends the session that the browser sent and removes its cookie. */
  clearCookie(request: AccountRequest, reply: AccountReply): Promise<void>;
  readonly cookie: SessionCookie;
  /** The sessions that the guard finds, so that sign-ins have the same clock. */
  readonly sessions: UserSessions;
}

export function makeAccountGuard(options: {
  db: Db;
  clock: Clock;
  config: Pick<Config, "baseUrl">;
}): AccountGuard {
  const { db, clock, config } = options;
  const sessions = makeUserSessions({ db, clock });
  const cookie = sessionCookie({
    baseUrl: config.baseUrl,
    name: "vitrine_account",
    lifetimeMs: absoluteLifetime,
  });
  const origins = [new URL(config.baseUrl).origin];

  async function find(request: { headers: IncomingHttpHeaders }): Promise<SignedInUser | null> {
    for (const id of cookie.read(request.headers.cookie)) {
      const found = await sessions.find(id).catch((cause: unknown) => {
        // This says nothing about the caller, so it lets nobody in and signs nobody out.
        throw new AppError(
          "unavailable",
          "The sign-in can't be checked right now. Try again in a moment.",
          { cause },
        );
      });
      if (found) return found;
    }
    return null;
  }

  async function admit(request: AccountRequest): Promise<void> {
    if (changesState(request.method)) assertSameOrigin(request, origins);
    const found = await find(request);
    if (!found) throw new AppError("unauthenticated", "Sign in first.");
    if (!changesState(request.method)) assertSameOriginRead(request, origins);
    request.account = found;
  }

  async function endFormer(request: AccountRequest): Promise<void> {
    const former = await find(request);
    if (former) await sessions.end(former.session.idHash);
  }

  return {
    find,
    require: () => admit,
    async issueCookie(request, reply, signedIn) {
      await endFormer(request);
      reply.header("set-cookie", cookie.issue(signedIn.cookieValue));
    },
    async clearCookie(request, reply) {
      await endFormer(request);
      reply.header("set-cookie", cookie.clear());
    },
    cookie,
    sessions,
  };
}
