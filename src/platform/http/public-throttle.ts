import type { FastifyRequest } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { type Allowance, makeThrottle, throttleHeaders } from "../throttle.ts";
import type { ClientOf } from "./client-address.ts";
import type { AppServer } from "./server.ts";

/** The answer to whoever asks too often. */
export function throttled(allowance: Allowance): AppError {
  const seconds = Math.max(1, Math.ceil(allowance.retryAfterMs / 1000));
  return new AppError("throttled", `Too many requests. Try again in ${seconds} s.`, {
    headers: throttleHeaders(allowance),
  });
}

/**
 * Limits what one client may ask of /api in a minute. It runs after the routes' `onRequest` hooks,
 * so that a request whose guard has let the admin in is not counted: `isExempt` tells, and names
 * the routes with limits of their own. Trusted callers are never limited.
 */
export function registerPublicThrottle(
  app: AppServer,
  options: {
    clock: Clock;
    clientOf: ClientOf;
    perMinute: number;
    isExempt(request: FastifyRequest): boolean;
  },
): void {
  const { clock, clientOf, perMinute, isExempt } = options;
  const throttle = makeThrottle({ clock, limit: perMinute, windowMs: 60_000 });
  app.addHook("preParsing", async (request, reply) => {
    const url = request.routeOptions.url ?? request.url;
    if (!url.startsWith("/api/") && !request.url.startsWith("/api/")) return;
    if (isExempt(request)) return;
    const client = clientOf(request);
    if (client.trusted) return;
    const allowance = throttle.take(client.bucket);
    if (!allowance.allowed) throw throttled(allowance);
    reply.headers(throttleHeaders(allowance));
  });
}
