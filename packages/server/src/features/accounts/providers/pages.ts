import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError, toAppError } from "../../../kit/errors.ts";
import type { Config } from "../../../platform/config.ts";
import { sendError } from "../../../platform/http/error-responses.ts";
import type { ClientOf } from "../../../platform/http/client-address.ts";
import { assertSameOrigin } from "../../../platform/http/origin.ts";
import type { OpenAttemptLimit } from "../../../platform/throttle.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { wantsPage } from "../../../platform/http/wants-page.ts";
import type { Visitor } from "../account.ts";
import type { AccountGuard } from "../guard.ts";
import { type AccountFrame, framePage } from "../page-views/frame.ts";
import { errorPage } from "../page-views/error-pages.ts";
import { safeReturnPath } from "./flows.ts";
import { SignInError } from "./sign-in-error.ts";
import { callbackQuery, startQuery, startResponse, finished, providerParams } from "./schema.ts";
import type { ProviderSignIn } from "./sign-in.ts";

export interface ProviderRoutesDependencies {
  signIn: ProviderSignIn;
  guard: AccountGuard;
  clock: Clock;
  config: Pick<Config, "baseUrl" | "limits">;
  clientOf: ClientOf;
  /** The account pages' layout, which shows errors to browsers. */
  frame: AccountFrame;
  siteName: string;
  /** Where starts are counted; by default, in this process. */
  openLimit?: OpenAttemptLimit;
}

/** Dependencies of the routes. */
export interface ProviderRouteContext extends ProviderRoutesDependencies {
  visitorOf(request: FastifyRequest): Visitor;
  /** Counts a started sign-in; completed ones are taken back. Throws `throttled`. */
  count(visitor: Visitor): Promise<void>;
  refund(visitor: Visitor): Promise<void>;
}

/** Disables caching, and referrers that would contain the codes in these addresses. */
export async function noStoreNoReferrer(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.headers({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
}

const tags = ["accounts"];

/** Whether the client wants JSON rather than a page. */
function wantsJson(request: FastifyRequest): boolean {
  const asks = request.headers.accept?.includes("application/json") ?? false;
  return asks && !wantsPage(request);
}

/** Browsers get a page or a redirect to the account page; others get the envelope. */
function sendToBrowser(context: ProviderRouteContext) {
  const { frame, config } = context;
  const { baseUrl } = config;
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof SignInError && !wantsJson(request)) {
      return reply.redirect(`/account?problem=${error.problem}`, 303);
    }
    if (error.validation || !wantsPage(request)) return sendError(error, request, reply);
    const refusal = toAppError(error);
    if (refusal.status >= 500) request.log.error({ err: error }, "request failed");
    const page = errorPage(refusal, request.id);
    const sent = await framePage(page, {
      frame,
      siteName: context.siteName,
      baseUrl,
      log: request.log,
    });
    reply.code(refusal.status).headers({ ...sent.headers, ...refusal.headers });
    return reply.serializer(String).send(sent.body);
  };
}

function isFromElsewhere(request: FastifyRequest, origins: string[]): boolean {
  try {
    assertSameOrigin(request, origins);
    return false;
  } catch {
    return true;
  }
}

/**
 * A GET, so that a link can start it. It can only sign in the person who signs in at the provider
 * in this browser. A request caused by another site only leads to the account page, and a signed-in
 * user stays signed in.
 */
export function registerStart(app: AppServer, context: ProviderRouteContext): void {
  const { signIn, guard } = context;
  const origins = [new URL(context.config.baseUrl).origin];
  app.get(
    "/api/account/oauth/:provider",
    {
      onRequest: noStoreNoReferrer,
      errorHandler: sendToBrowser(context),
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: "Start signing in with a provider: a redirect to it, or its address as JSON",
        params: providerParams,
        querystring: startQuery,
        response: { 200: envelope(startResponse), 404: errorEnvelope, 502: errorEnvelope },
      },
    },
    async (request, reply) => {
      const asJson = wantsJson(request);
      const returnTo = safeReturnPath(request.query.return_to);
      if (!asJson && isFromElsewhere(request, origins)) {
        return reply.redirect(`/account?${new URLSearchParams({ return_to: returnTo })}`, 303);
      }
      assertSameOrigin(request, origins);
      if (await guard.find(request)) {
        if (asJson) throw new SignInError("signed_in");
        return reply.redirect(returnTo, 303);
      }
      await context.count(context.visitorOf(request));
      const { provider } = request.params;
      const { location, cookie } = await signIn.start(provider, { returnTo, linkUser: null });
      reply.header("set-cookie", cookie);
      return asJson ? ok({ location }) : reply.redirect(location, 303);
    },
  );
}

/** A base for parsing the query; its value doesn't matter. */
const placeholderOrigin = "http://local.invalid";

/**
 * The provider's site causes this request; only the state shows that it belongs to this browser.
 */
export function registerCallback(app: AppServer, context: ProviderRouteContext): void {
  const { signIn, guard } = context;
  app.get(
    "/api/account/oauth/:provider/callback",
    {
      onRequest: noStoreNoReferrer,
      errorHandler: sendToBrowser(context),
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: "A provider's callback: signs in or links the account, then redirects",
        params: providerParams,
        querystring: callbackQuery,
        response: { 200: envelope(finished), 400: errorEnvelope, 502: errorEnvelope },
      },
    },
    async (request, reply) => {
      const visitor = context.visitorOf(request);
      const current = await guard.find(request);
      const { searchParams: query } = new URL(request.url, placeholderOrigin);
      const back = { query, cookieHeader: request.headers.cookie, visitor, current };
      const done = await signIn.finish(request.params.provider, back).catch((error: unknown) => {
        // A state from elsewhere doesn't end a sign-in of this browser.
        const isStrange = error instanceof AppError && error.code === "bad_token";
        if (!isStrange) reply.header("set-cookie", signIn.cookie.clear());
        throw error;
      });
      await context.refund(visitor);
      const { kind, returnTo } = done;
      reply.header("set-cookie", [
        signIn.cookie.clear(),
        ...(kind === "signedIn" ? [guard.cookie.issue(done.signedIn.cookieValue)] : []),
      ]);
      return wantsJson(request) ? ok({ kind, returnTo }) : reply.redirect(returnTo, 303);
    },
  );
}
