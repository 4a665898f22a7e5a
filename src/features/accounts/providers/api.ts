import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Config } from "../../../platform/config.ts";
import { answerError } from "../../../platform/http/answers.ts";
import type { ClientOf } from "../../../platform/http/client-address.ts";
import { assertSameOrigin } from "../../../platform/http/origin.ts";
import { throttled } from "../../../platform/http/public-throttle.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { makeThrottle, type Throttle } from "../../../platform/throttle.ts";
import type { Visitor } from "../account.ts";
import type { AccountGuard } from "../guard.ts";
import { browserAnswer, wantsJson } from "./browser-flow.ts";
import { placeToReturnTo } from "./flows.ts";
import { ProviderProblem } from "./problems.ts";
import {
  beginQuery,
  begun,
  finished,
  linkBody,
  providerList,
  providerParams,
  unlinked,
} from "./schema.ts";
import type { ProviderSignIn } from "./sign-in.ts";

export interface ProviderRoutesDeps {
  signIn: ProviderSignIn;
  guard: AccountGuard;
  clock: Clock;
  config: Pick<Config, "baseUrl" | "limits">;
  clientOf: ClientOf;
}

interface Parts extends Pick<ProviderRoutesDeps, "signIn" | "guard"> {
  origins: string[];
  visitorOf(request: FastifyRequest): Visitor;
  /** Counts one that begins; those that end well are given back. */
  count(visitor: Visitor): void;
  giveBack(visitor: Visitor): void;
}

const tags = ["accounts"];
const security = [{ account: [] }];

/** No cache keeps what passes here, and no referrer carries the codes in these addresses on. */
async function secluded(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.headers({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
}

/** Browsers get a page or are led back to the account page; everybody else the envelope. */
function answerBrowser(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const answer = browserAnswer(error, request.headers.accept);
  if (answer === null || error.validation) return answerError(error, request, reply);
  if (answer.kind === "redirect") return reply.redirect(answer.location, 303);
  const { fault, page } = answer;
  if (fault.status >= 500) request.log.error({ err: error }, "request failed");
  return reply
    .code(fault.status)
    .headers(fault.headers ?? {})
    .type("text/html; charset=utf-8")
    .serializer(String)
    .send(page);
}

function registerList(app: AppServer, { signIn, guard }: Parts): void {
  app.get(
    "/api/account/oauth",
    {
      onRequest: secluded,
      schema: {
        tags,
        summary: "What one can sign in with, and what the signed-in user has linked",
        response: { 200: envelope(providerList) },
      },
    },
    async (request) => {
      const current = await guard.find(request);
      const linked = current && (await signIn.linked(current.user.id));
      return ok({ providers: await signIn.list(), linked });
    },
  );
}

/**
 * A GET, so that a plain link does. What it begins signs in nobody but who signs in at the provider
 * in this very browser; still, one that another site caused only leads to the account page.
 */
function registerBegin(app: AppServer, parts: Parts): void {
  const { signIn, guard, origins } = parts;
  app.get(
    "/api/account/oauth/:provider",
    {
      onRequest: secluded,
      errorHandler: answerBrowser,
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: "Begin to sign in by a provider: a redirect there, or its address as JSON",
        params: providerParams,
        querystring: beginQuery,
        response: { 200: envelope(begun), 404: errorEnvelope, 429: errorEnvelope },
      },
    },
    async (request, reply) => {
      const asJson = wantsJson(request.headers.accept);
      const returnTo = placeToReturnTo(request.query.return_to);
      if (!asJson && isFromElsewhere(request, origins)) {
        const query = new URLSearchParams({ return_to: returnTo });
        return reply.redirect(`/account?${query}`, 303);
      }
      assertSameOrigin(request, origins);
      if (await guard.find(request)) {
        if (asJson) throw new ProviderProblem("signed_in");
        return reply.redirect(returnTo, 303);
      }
      parts.count(parts.visitorOf(request));
      const { provider } = request.params;
      const { location, cookie } = await signIn.begin(provider, { returnTo, linkUser: null });
      reply.header("set-cookie", cookie);
      return asJson ? ok({ location }) : reply.redirect(location, 303);
    },
  );
}

function isFromElsewhere(request: FastifyRequest, origins: string[]): boolean {
  try {
    assertSameOrigin(request, origins);
    return false;
  } catch {
    return true;
  }
}

/** Comes from the provider's site: the state says that it belongs to this browser. */
function registerCallback(app: AppServer, parts: Parts): void {
  const { signIn, guard } = parts;
  app.get(
    "/api/account/oauth/:provider/callback",
    {
      onRequest: secluded,
      errorHandler: answerBrowser,
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: "Where a provider sends back to: signs in or links, and leads on",
        params: providerParams,
        response: { 200: envelope(finished), 400: errorEnvelope, 502: errorEnvelope },
      },
    },
    async (request, reply) => {
      const visitor = parts.visitorOf(request);
      const current = await guard.find(request);
      const query = new URL(request.url, origin).searchParams;
      const cookieHeader = request.headers.cookie;
      const back = { query, cookieHeader, visitor, current };
      const done = await signIn.finish(request.params.provider, back).catch((error: unknown) => {
        // A state that is not this browser's ends nothing that this browser has begun.
        const isStrange = error instanceof AppError && error.code === "bad_token";
        if (!isStrange) reply.header("set-cookie", signIn.cookie.clear());
        throw error;
      });
      parts.giveBack(visitor);
      const { kind, returnTo } = done;
      const cookies = [signIn.cookie.clear()];
      if (kind === "signedIn") cookies.push(guard.cookie.issue(done.signedIn.cookieValue));
      reply.header("set-cookie", cookies);
      if (wantsJson(request.headers.accept)) return ok({ kind, returnTo });
      return reply.redirect(returnTo, 303);
    },
  );
}

/** Only for reading the query: where this site is does not matter to it. */
const origin = "http://local.invalid";

function registerLinking(app: AppServer, parts: Parts): void {
  const { signIn, guard } = parts;
  app.post(
    "/api/account/oauth/:provider/link",
    {
      onRequest: [secluded, guard.require()],
      schema: {
        tags,
        security,
        summary: "Begin to link a provider with the signed-in user's account",
        params: providerParams,
        body: linkBody,
        response: { 200: envelope(begun), 401: errorEnvelope, 404: errorEnvelope },
      },
    },
    async (request, reply) => {
      const linkUser = request.account ?? null;
      if (!linkUser) throw new AppError("unauthenticated", "Sign in first.");
      parts.count(parts.visitorOf(request));
      const { returnTo } = request.body;
      const { location, cookie } = await signIn.begin(request.params.provider, {
        returnTo,
        linkUser,
      });
      reply.header("set-cookie", cookie);
      return ok({ location });
    },
  );
  app.post(
    "/api/account/oauth/:provider/unlink",
    {
      onRequest: [secluded, guard.require()],
      schema: {
        tags,
        security,
        summary: "Unlink a provider from the signed-in user's account",
        params: providerParams,
        response: { 200: envelope(unlinked), 401: errorEnvelope, 409: errorEnvelope },
      },
    },
    async (request) => {
      if (!request.account) throw new AppError("unauthenticated", "Sign in first.");
      await signIn.unlink(request.account, request.params.provider);
      return ok({ linked: false as const });
    },
  );
}

function counting(throttle: Throttle): Pick<Parts, "count" | "giveBack"> {
  return {
    count({ trusted, bucket }) {
      if (trusted) return;
      const allowance = throttle.take(bucket);
      if (!allowance.allowed) throw throttled(allowance);
    },
    giveBack({ trusted, bucket }) {
      if (!trusted) throttle.giveBack(bucket);
    },
  };
}

/**
 * Registers sign-in by identity providers. Those that a client begins and does not end well count
 * like failed sign-ins with a password.
 */
export function registerProviderRoutes(app: AppServer, deps: ProviderRoutesDeps): void {
  const { signIn, guard, clock, config, clientOf } = deps;
  const { signInPerClient: limit, signInWindowMinutes } = config.limits.accounts;
  const throttle = makeThrottle({ clock, limit, windowMs: signInWindowMinutes * 60_000 });
  const parts: Parts = {
    signIn,
    guard,
    origins: [new URL(config.baseUrl).origin],
    visitorOf: (request) => ({
      ...clientOf(request),
      userAgent: request.headers["user-agent"] ?? "",
    }),
    ...counting(throttle),
  };
  registerList(app, parts);
  registerBegin(app, parts);
  registerCallback(app, parts);
  registerLinking(app, parts);
}
