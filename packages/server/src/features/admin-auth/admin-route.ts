import type { FastifyReply } from "fastify";
import { errorEnvelope } from "../../kit/envelope.ts";

/** What the description of the API says of the admin's routes of a kind: who may ask, by what. */
export function adminRoute(tag: string) {
  return { tags: [tag], security: [{ session: [] }, { bearer: [] }] };
}

/** The answers of every route that the guard keeps and that takes something. */
export const adminErrorResponses = { 401: errorEnvelope, 403: errorEnvelope, 422: errorEnvelope };

/** For `onRequest`, before the guard: no cache keeps the answer, a refusal included. */
export async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}
