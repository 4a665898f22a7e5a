import type { FastifyReply, FastifyRequest } from "fastify";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { ClientOf } from "../../platform/http/client-address.ts";
import { assertSameOrigin } from "../../platform/http/origin.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Accounts, SignedIn, SignedInUser } from "./account.ts";
import { type AccountGuard, visitorOf } from "./guard.ts";
import {
  accepted,
  acceptBody,
  addressBody,
  changeBody,
  confirmed,
  done,
  exported,
  nothing,
  removeBody,
  resetBody,
  revokeBody,
  sessionList,
  signedInUser,
  signInBody,
  signUpBody,
  tokenBody,
} from "./schema.ts";

export interface AccountRoutes {
  accounts: Accounts;
  guard: AccountGuard;
  clientOf: ClientOf;
  config: Pick<Config, "baseUrl">;
}

/** No cache keeps an answer, a refusal included. */
async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

const tags = ["account"];
const described = { tags, security: [{ account: [] }] };
const refusals = { 403: errorEnvelope, 422: errorEnvelope, 429: errorEnvelope };
const ownRefusals = { 401: errorEnvelope, 403: errorEnvelope };

function userOf(request: FastifyRequest): SignedInUser {
  if (request.account) return request.account;
  throw new AppError("unauthenticated", "Sign in first.");
}

function shown({ user, session }: SignedInUser | SignedIn) {
  const { method, createdAt, expiresAt } = session;
  return { user, session: { method, createdAt, expiresAt } };
}

/** Takes what a stranger says; a page of another site can't make a browser say it. */
function publicHooks({ config }: AccountRoutes) {
  const origins = [new URL(config.baseUrl).origin];
  return [noStore, async (request: FastifyRequest) => assertSameOrigin(request, origins)];
}

/** Sign-up, a new link, a forgotten password: 202 and one body, whoever it is. */
function registerAsking(app: AppServer, routes: AccountRoutes): void {
  const { accounts, clientOf } = routes;
  const onRequest = publicHooks(routes);
  const response = { 202: envelope(accepted), ...refusals };
  const answer = (reply: FastifyReply) => reply.code(202).send(ok({ accepted: true as const }));
  app.post(
    "/api/account/signup",
    {
      onRequest,
      schema: {
        tags,
        summary:
          "Begin an account; a mail says what comes next, whether the address is known or not",
        body: signUpBody,
        response,
      },
    },
    async (request, reply) => {
      await accounts.signUp(request.body, visitorOf(clientOf, request));
      return answer(reply);
    },
  );
  app.post(
    "/api/account/resend",
    {
      onRequest,
      schema: {
        tags,
        summary: "Mail the link to confirm an address again, if there is one to confirm",
        body: addressBody,
        response,
      },
    },
    async (request, reply) => {
      await accounts.resend(request.body, visitorOf(clientOf, request));
      return answer(reply);
    },
  );
  app.post(
    "/api/account/password/forgot",
    {
      onRequest,
      schema: {
        tags,
        summary: "Mail a link to choose a new password, if there is an account",
        body: addressBody,
        response,
      },
    },
    async (request, reply) => {
      await accounts.forgot(request.body, visitorOf(clientOf, request));
      return answer(reply);
    },
  );
}

/** What is done with the token of a mail; opening its link uses nothing up, these do. */
function registerTokens(app: AppServer, routes: AccountRoutes): void {
  const { accounts, clientOf, guard } = routes;
  const onRequest = publicHooks(routes);
  const errors = { 400: errorEnvelope, 403: errorEnvelope, 422: errorEnvelope };
  app.post(
    "/api/account/verify",
    {
      onRequest,
      schema: {
        tags,
        summary: "Confirm an address by the token that was mailed to it",
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
        tags,
        summary: "Choose a new password by the token that was mailed; ends every session",
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
        tags,
        summary: "Begin the account of somebody invited, by the token that was mailed; signs in",
        body: acceptBody,
        response: { 201: envelope(signedInUser), ...errors, 409: errorEnvelope },
      },
    },
    async (request, reply) => {
      const signedIn = await accounts.signUpInvited(request.body, visitorOf(clientOf, request));
      await guard.handOut(request, reply, signedIn);
      return reply.code(201).send(ok(shown(signedIn)));
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
        tags,
        summary: "Sign in by password",
        body: signInBody,
        response: { 200: envelope(signedInUser), 401: errorEnvelope, ...refusals },
      },
    },
    async (request, reply) => {
      const signedIn = await accounts.signIn(request.body, visitorOf(clientOf, request));
      await guard.handOut(request, reply, signedIn);
      return ok(shown(signedIn));
    },
  );
  app.post(
    "/api/account/signout",
    {
      onRequest: [noStore, guard.require()],
      schema: {
        ...described,
        summary: "End this session",
        body: nothing,
        response: { 200: envelope(done), ...ownRefusals },
      },
    },
    async (request, reply) => {
      await guard.takeBack(request, reply);
      return ok({ done: true as const });
    },
  );
}

function registerReading(app: AppServer, { accounts, guard }: AccountRoutes): void {
  const onRequest = [noStore, guard.require()];
  app.get(
    "/api/account/me",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Who is signed in",
        response: { 200: envelope(signedInUser), ...ownRefusals },
      },
    },
    async (request) => ok(shown(userOf(request))),
  );
  app.get(
    "/api/account/sessions",
    {
      onRequest,
      schema: {
        ...described,
        summary: "The browsers that are signed in, the last seen first",
        response: { 200: envelope(sessionList), ...ownRefusals },
      },
    },
    async (request) => ok({ items: await accounts.sessions(userOf(request)) }),
  );
  app.get(
    "/api/account/export",
    {
      onRequest,
      schema: {
        ...described,
        summary: "All that is kept about the user, as a file",
        response: { 200: envelope(exported), ...ownRefusals },
      },
    },
    async (request, reply) => {
      const data = await accounts.exportData(userOf(request));
      reply.header("content-disposition", 'attachment; filename="account.json"');
      return ok(data);
    },
  );
}

function registerChanging(app: AppServer, { accounts, clientOf, guard }: AccountRoutes): void {
  const onRequest = [noStore, guard.require()];
  const response = { 200: envelope(done), ...ownRefusals, ...refusals };
  app.post(
    "/api/account/password/change",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Change the password; ends the other sessions",
        body: changeBody,
        response,
      },
    },
    async (request) => {
      await accounts.changePassword(userOf(request), request.body, visitorOf(clientOf, request));
      return ok({ done: true as const });
    },
  );
  app.post(
    "/api/account/sessions/revoke",
    {
      onRequest,
      schema: {
        ...described,
        summary: "End one session, or all but this one",
        body: revokeBody,
        response: { ...response, 404: errorEnvelope },
      },
    },
    async (request) => {
      const { body } = request;
      await accounts.revokeSession(userOf(request), "id" in body ? body : "others");
      return ok({ done: true as const });
    },
  );
  app.post(
    "/api/account/delete",
    {
      onRequest,
      schema: { ...described, summary: "Remove the account for good", body: removeBody, response },
    },
    async (request, reply) => {
      await accounts.remove(userOf(request), request.body, visitorOf(clientOf, request));
      reply.header("set-cookie", guard.cookie.clear());
      return ok({ done: true as const });
    },
  );
}

/** Accounts over HTTP, for visitors and for whoever is signed in; providers have their own routes. */
export function registerAccounts(app: AppServer, routes: AccountRoutes): void {
  registerAsking(app, routes);
  registerTokens(app, routes);
  registerSignIn(app, routes);
  registerReading(app, routes);
  registerChanging(app, routes);
}
