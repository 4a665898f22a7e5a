import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { envelope, errorEnvelope, ok, paginate } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { ClientOf } from "../../../platform/http/client-address.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import {
  noStore,
  ownErrorResponses,
  ownRoute,
  errorResponses,
  toSignedInView,
} from "../account-route.ts";
import type { Accounts, SignedInUser, Visitor } from "../account.ts";
import { type AccountGuard, visitorOf } from "../guard.ts";
import {
  changeBody,
  done,
  exported,
  removeBody,
  revokeBody,
  sessionList,
  sessionQuery,
  signedInUser,
} from "../schema.ts";

export interface OwnAccountRoutes {
  accounts: Accounts;
  guard: AccountGuard;
  clientOf: ClientOf;
}

function userOf(request: FastifyRequest): SignedInUser {
  if (request.account) return request.account;
  throw new AppError("unauthenticated", "Sign in first.");
}

function registerReading(app: AppServer, { accounts, guard }: OwnAccountRoutes): void {
  const onRequest = [noStore, guard.require()];
  app.get(
    "/api/account/me",
    {
      onRequest,
      schema: {
        ...ownRoute,
        summary: "Who is signed in",
        response: { 200: envelope(signedInUser), ...ownErrorResponses },
      },
    },
    async (request) => ok(toSignedInView(userOf(request))),
  );
  app.get(
    "/api/account/sessions",
    {
      onRequest,
      schema: {
        ...ownRoute,
        summary: "List signed-in devices, most recently active first",
        querystring: sessionQuery,
        response: { 200: envelope(sessionList), ...ownErrorResponses },
      },
    },
    async (request) => ok(paginate(await accounts.sessions(userOf(request)), request.query)),
  );
  app.get(
    "/api/account/export",
    {
      onRequest,
      schema: {
        ...ownRoute,
        summary: "Download everything stored about the user",
        response: { 200: envelope(exported), ...ownErrorResponses },
      },
    },
    async (request, reply) => {
      const data = await accounts.exportData(userOf(request));
      reply.header("content-disposition", 'attachment; filename="account.json"');
      return ok(data);
    },
  );
}

/** Registers a change to the signed-in user's account. */
function registerChange<B extends z.ZodType>(
  app: AppServer,
  { guard, clientOf }: OwnAccountRoutes,
  path: string,
  change: {
    summary: string;
    body: B;
    carryOut(
      who: SignedInUser,
      requestBody: z.output<B>,
      visitor: Visitor,
      reply: FastifyReply,
    ): Promise<void>;
  },
): void {
  const { summary, body, carryOut: execute } = change;
  const response = {
    200: envelope(done),
    ...ownErrorResponses,
    ...errorResponses,
    404: errorEnvelope,
  };
  app.post(
    `/api/account/${path}`,
    {
      onRequest: [noStore, guard.require()],
      schema: { ...ownRoute, summary, body, response },
    },
    async (request, reply) => {
      const visitor = visitorOf(clientOf, request);
      await execute(userOf(request), request.body as z.output<B>, visitor, reply);
      return ok({ done: true as const });
    },
  );
}

function registerChanging(app: AppServer, routes: OwnAccountRoutes): void {
  const { accounts, guard } = routes;
  registerChange(app, routes, "password/change", {
    summary: "Change the password and sign out the other sessions",
    body: changeBody,
    carryOut: accounts.changePassword,
  });
  registerChange(app, routes, "sessions/revoke", {
    summary: "Sign out one session, or all but this one",
    body: revokeBody,
    carryOut: (who, requestBody) =>
      accounts.revokeSession(who, "id" in requestBody ? requestBody : "others"),
  });
  registerChange(app, routes, "delete", {
    summary: "Permanently delete the account",
    body: removeBody,
    async carryOut(who, requestBody, visitor, reply) {
      await accounts.remove(who, requestBody, visitor);
      reply.header("set-cookie", guard.cookie.clear());
    },
  });
}

/** Routes for users' own accounts. */
export function registerOwnAccount(app: AppServer, routes: OwnAccountRoutes): void {
  registerReading(app, routes);
  registerChanging(app, routes);
}
