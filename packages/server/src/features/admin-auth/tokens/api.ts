import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok, paginate } from "../../../kit/envelope.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-route.ts";
import { createApiToken, listApiTokens, revokeApiToken } from "../api-tokens.ts";
import type { AdminGuard } from "../guard.ts";
import {
  createBody,
  createdToken,
  revokeBody,
  revokedToken,
  tokenList,
  tokenQuery,
} from "./schema.ts";

const described = adminRoute("API tokens");
/** A token must not outlive its revocation by creating others. */
const bySession = { ...described, security: [{ session: [] }] };

/** Bearer tokens: listed without their secrets, created and revoked only in an admin session. */
export function registerApiTokens(
  app: AppServer,
  { guard, db, clock }: { guard: AdminGuard; db: Db; clock: Clock },
): void {
  app.get(
    "/api/admintokens/list",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "List API tokens, newest first, without the tokens themselves",
        querystring: tokenQuery,
        response: { 200: envelope(tokenList), ...adminErrorResponses },
      },
    },
    async ({ query }) => ok(paginate(await listApiTokens(db), query)),
  );
  app.post(
    "/api/admintokens/create",
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        ...bySession,
        summary: "Create an API token; it is shown only once",
        body: createBody,
        response: { 200: envelope(createdToken), 409: errorEnvelope, ...adminErrorResponses },
      },
    },
    async ({ body }) => ok(await createApiToken({ db, clock, ...body })),
  );
  app.post(
    "/api/admintokens/revoke",
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        ...bySession,
        summary: "Revoke an API token",
        body: revokeBody,
        response: { 200: envelope(revokedToken), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async ({ body }) => ok(await revokeApiToken({ db, clock, ...body })),
  );
}
