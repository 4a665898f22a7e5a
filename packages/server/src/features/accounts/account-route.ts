import type { FastifyReply } from "fastify";
import { errorEnvelope } from "../../kit/envelope.ts";
import type { SignedIn, SignedInUser } from "./account.ts";

/** For `onRequest`: no cache keeps the answer, a refusal included. */
export async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

/** What the description of the API says of routes that anybody may ask. */
export const openRoute = { tags: ["account"] };
/** And of those for who is signed in. */
export const ownRoute = { ...openRoute, security: [{ account: [] }] };

export const errorResponses = { 403: errorEnvelope, 422: errorEnvelope, 429: errorEnvelope };
export const ownErrorResponses = { 401: errorEnvelope, 403: errorEnvelope };

/** Who is signed in, as an answer; the session is not named. */
export function toSignedInView({ user, session }: SignedInUser | SignedIn) {
  const { method, createdAt, expiresAt } = session;
  return { user, session: { method, createdAt, expiresAt } };
}
