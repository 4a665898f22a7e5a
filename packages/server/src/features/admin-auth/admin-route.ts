import type { FastifyReply } from "fastify";
import { errorEnvelope } from "../../kit/envelope.ts";

/** OpenAPI description of admin routes: the tag and the accepted authentication. */
export function adminRoute(tag: string) {
  return { tags: [tag], security: [{ session: [] }, { bearer: [] }] };
}

/** Error responses of every guarded route with input. */
export const adminErrorResponses = { 401: errorEnvelope, 403: errorEnvelope, 422: errorEnvelope };

/** `onRequest` hook before the guard: disables caching of every response, including errors. */
export async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}
