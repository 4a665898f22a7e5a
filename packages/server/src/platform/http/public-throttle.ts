import type { FastifyRequest } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { failure } from "../../kit/failure.ts";
import { AppError } from "../../kit/errors.ts";
import { type Allowance, makeThrottle, throttleHeaders } from "../throttle.ts";
import type { ClientOf } from "./client-address.ts";
import type { AppServer } from "./server.ts";

/** The error for a client that sends too many requests. */
export function throttledError(allowance: Allowance): AppError {
  const seconds = Math.max(1, Math.ceil(allowance.retryAfterMs / 1000));
  return new AppError("throttled", `Too many requests. Try again in ${seconds} s.`, {
    headers: throttleHeaders(allowance),
  });
}

export interface PublicThrottleOptions {
  clock: Clock;
  clientOf: ClientOf;
  perMinute: number;
  /** Whether a guard has authorized the admin, who is never limited. */
  isAdmitted(request: FastifyRequest): boolean;
  /** Routes with their own limits, or called by a gateway for every file. */
  routesWithOwnLimit: readonly string[];
}

/**
 * Limits one client's requests to /api per minute. It counts after the routes' `onRequest` hooks,
 * so requests authorized as the admin aren't counted. Refusals by these hooks, and requests that
 * never reach a route with its own limits, are counted when they are answered: beyond the limit,
 * they become a 429. Trusted clients are never limited.
 */
export function registerPublicThrottle(app: AppServer, options: PublicThrottleOptions): void {
  const { clock, clientOf, perMinute, isAdmitted, routesWithOwnLimit } = options;
  const throttle = makeThrottle({ clock, limit: perMinute, windowMs: 60_000 });
  /** Requests that were counted, or that their route counts. */
  const settled = new WeakSet<FastifyRequest>();

  function take(request: FastifyRequest): Allowance | null {
    if (settled.has(request) || isAdmitted(request)) return null;
    const isApi =
      request.url.startsWith("/api/") || request.routeOptions.url?.startsWith("/api/") === true;
    if (!isApi) return null;
    settled.add(request);
    const client = clientOf(request);
    return client.trusted ? null : throttle.take(client.bucket);
  }

  app.addHook("preParsing", (request, reply, payload, done) => {
    const hasOwnLimit = routesWithOwnLimit.includes(request.routeOptions.url ?? "");
    const allowance = hasOwnLimit ? null : take(request);
    if (allowance?.allowed === false) {
      done(throttledError(allowance));
      return;
    }
    if (allowance !== null) reply.headers(throttleHeaders(allowance));
    done(null, payload);
  });
  app.addHook("preHandler", (request, _reply, done) => {
    settled.add(request);
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const allowance = take(request);
    if (allowance !== null) reply.headers(throttleHeaders(allowance));
    if (allowance === null || allowance.allowed) {
      done(null, payload);
      return;
    }
    const refusal = throttledError(allowance);
    reply.code(refusal.status).type("application/json; charset=utf-8");
    done(null, JSON.stringify(failure(refusal)));
  });
}
