import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import type { Config } from "../../platform/config.ts";
import type { ClientOf } from "../../platform/http/client-address.ts";
import { assertSameOrigin } from "../../platform/http/origin.ts";
import type { AppServer } from "../../platform/http/server.ts";
import {
  noStore,
  openRoute,
  ownErrorResponses,
  ownRoute,
  errorResponses,
  toSignedInView,
} from "./account-route.ts";
import type { Accounts, Visitor } from "./account.ts";
import { type AccountGuard, visitorOf } from "./guard.ts";
import {
  accepted,
  acceptBody,
  addressBody,
  confirmed,
  done,
  nothing,
  resetBody,
  signedInUser,
  signInBody,
  signUpBody,
  tokenBody,
} from "./schema.ts";
import { registerOwnAccount } from "./own/api.ts";

export interface AccountRoutes {
  accounts: Accounts;
  guard: AccountGuard;
  clientOf: ClientOf;
  config: Pick<Config, "baseUrl">;
}

/** Hooks for routes that need no sign-in; requests caused by other sites are refused. */
function publicHooks({ config }: AccountRoutes) {
  const origins = [new URL(config.baseUrl).origin];
  return [noStore, async (request: FastifyRequest) => assertSameOrigin(request, origins)];
}

/** Registers a route that takes an address and always responds with 202 and the same body. */
function registerEmailRequest<B extends z.ZodType>(
  app: AppServer,
  routes: AccountRoutes,
  path: string,
  question: {
    summary: string;
    body: B;
    ask(requestBody: z.output<B>, visitor: Visitor): Promise<void>;
  },
): void {
  const { summary, body, ask } = question;
  app.post(
    `/api/account/${path}`,
    {
      onRequest: publicHooks(routes),
      schema: {
        ...openRoute,
        summary,
        body,
        response: { 202: envelope(accepted), ...errorResponses },
      },
    },
    async (request, reply) => {
      await ask(request.body as z.output<B>, visitorOf(routes.clientOf, request));
      return reply.code(202).send(ok({ accepted: true as const }));
    },
  );
}

function registerEmailRequests(app: AppServer, routes: AccountRoutes): void {
  const { accounts } = routes;
  registerEmailRequest(app, routes, "signup", {
    summary:
      "Create an account; an email explains the next step, whether or not the address is known",
    body: signUpBody,
    ask: accounts.signUp,
  });
  registerEmailRequest(app, routes, "resend", {
    summary: "Resend the link that confirms an address, if one is unconfirmed",
    body: addressBody,
    ask: accounts.resend,
  });
  registerEmailRequest(app, routes, "password/forgot", {
    summary: "Email a link to choose a new password, if there is an account",
    body: addressBody,
    ask: accounts.forgot,
  });
}

/** Routes that use up the token of an email; opening the link doesn't. */
function registerTokens(app: AppServer, routes: AccountRoutes): void {
  const { accounts, clientOf, guard } = routes;
  const onRequest = publicHooks(routes);
  const errors = { 400: errorEnvelope, 403: errorEnvelope, 422: errorEnvelope };
  app.post(
    "/api/account/verify",
    {
      onRequest,
      schema: {
        ...openRoute,
        summary: "Confirm an address with the emailed token",
        body: tokenBody,
        response: { 200: envelope(confirmed), ...errors },
      },
    },
    async (request) => ok(await accounts.verify(request.body.token)),
  );
  app.post(
    "/api/account/password/reset",
    {
      onRequest,
      schema: {
        ...openRoute,
        summary: "Choose a new password with the emailed token, and sign out all sessions",
        body: resetBody,
        response: { 200: envelope(done), ...errors },
      },
    },
    async (request) => {
      await accounts.reset(request.body);
      return ok({ done: true as const });
    },
  );
  app.post(
    "/api/account/accept",
    {
      onRequest,
      schema: {
        ...openRoute,
        summary: "Create an invited user's account with the emailed token, and sign in",
        body: acceptBody,
        response: { 201: envelope(signedInUser), ...errors, 409: errorEnvelope },
      },
    },
    async (request, reply) => {
      const signedIn = await accounts.signUpInvited(request.body, visitorOf(clientOf, request));
      await guard.issueCookie(request, reply, signedIn);
      return reply.code(201).send(ok(toSignedInView(signedIn)));
    },
  );
}

function registerSignIn(app: AppServer, routes: AccountRoutes): void {
  const { accounts, clientOf, guard } = routes;
  app.post(
    "/api/account/signin",
    {
      onRequest: publicHooks(routes),
      schema: {
        ...openRoute,
        summary: "Sign in by password",
        body: signInBody,
        response: { 200: envelope(signedInUser), 401: errorEnvelope, ...errorResponses },
      },
    },
    async (request, reply) => {
      const signedIn = await accounts.signIn(request.body, visitorOf(clientOf, request));
      await guard.issueCookie(request, reply, signedIn);
      return ok(toSignedInView(signedIn));
    },
  );
  app.post(
    "/api/account/signout",
    {
      onRequest: [noStore, guard.require()],
      schema: {
        ...ownRoute,
        summary: "Sign out",
        body: nothing,
        response: { 200: envelope(done), ...ownErrorResponses },
      },
    },
    async (request, reply) => {
      await guard.clearCookie(request, reply);
      return ok({ done: true as const });
    },
  );
}

/** The accounts API for visitors and signed-in users; providers have their own routes. */
export function registerAccounts(app: AppServer, routes: AccountRoutes): void {
  registerEmailRequests(app, routes);
  registerTokens(app, routes);
  registerSignIn(app, routes);
  registerOwnAccount(app, routes);
}
