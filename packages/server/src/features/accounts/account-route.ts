import type { FastifyReply } from "fastify";
import { errorEnvelope } from "../../kit/envelope.ts";
import type { SignedIn, SignedInUser } from "./account.ts";

/** `onRequest` hook: disables caching of every response, including errors. */
export async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

/** OpenAPI description of routes that need no sign-in. */
export const openRoute = { tags: ["account"] };
/** OpenAPI description of routes for signed-in users. */
export const ownRoute = { ...openRoute, security: [{ account: [] }] };

export const errorResponses = { 403: errorEnvelope, 422: errorEnvelope, 429: errorEnvelope };
export const ownErrorResponses = { 401: errorEnvelope, 403: errorEnvelope };

/** The signed-in user as a response, without the session. */
export function toSignedInView({ user, session }: SignedInUser | SignedIn) {
  const { method, createdAt, expiresAt } = session;
  return { user, session: { method, createdAt, expiresAt } };
}
