import type { FastifyRequest } from "fastify";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import { throttledError } from "../../../platform/http/public-throttle.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { type AttemptLimit, openLocalLimits } from "../../../platform/throttle.ts";
import type { SignedInUser } from "../account.ts";
import {
  type ProviderRouteContext,
  type ProviderRoutesDependencies,
  registerStart,
  registerCallback,
  noStoreNoReferrer,
} from "./pages.ts";
import { startResponse, linkBody, providerList, providerParams, unlinked } from "./schema.ts";

const tags = ["accounts"];
const described = { tags, security: [{ account: [] }] };

function registerList(app: AppServer, { signIn, guard }: ProviderRouteContext): void {
  app.get(
    "/api/account/oauth",
    {
      onRequest: noStoreNoReferrer,
      schema: {
        tags,
        summary: "List sign-in providers, and those the signed-in user has linked",
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

function userOf(request: FastifyRequest): SignedInUser {
  if (request.account) return request.account;
  throw new AppError("unauthenticated", "Sign in first.");
}

function registerLinking(app: AppServer, context: ProviderRouteContext): void {
  const { signIn, guard } = context;
  const onRequest = [noStoreNoReferrer, guard.require()];
  const errorResponses = { 401: errorEnvelope, 403: errorEnvelope, 404: errorEnvelope };
  app.post(
    "/api/account/oauth/:provider/link",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Start linking a provider to the signed-in user's account",
        params: providerParams,
        body: linkBody,
        response: { 200: envelope(startResponse), 502: errorEnvelope, ...errorResponses },
      },
    },
    async (request, reply) => {
      const { returnTo } = request.body;
      const linkUser = userOf(request);
      await context.count(context.visitorOf(request));
      const { provider } = request.params;
      const { location, cookie } = await signIn.start(provider, { returnTo, linkUser });
      reply.header("set-cookie", cookie);
      return ok({ location });
    },
  );
  app.post(
    "/api/account/oauth/:provider/unlink",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Unlink a provider from the signed-in user's account",
        params: providerParams,
        response: { 200: envelope(unlinked), 409: errorEnvelope, ...errorResponses },
      },
    },
    async (request) => {
      await signIn.unlink(userOf(request), request.params.provider);
      return ok({ linked: false as const });
    },
  );
}

function counting(starts: AttemptLimit): Pick<ProviderRouteContext, "count" | "refund"> {
  return {
    async count({ trusted, bucket }) {
      if (trusted) return;
      const allowance = await starts.take(bucket);
      if (!allowance.allowed) throw throttledError(allowance);
    },
    async refund({ trusted, bucket }) {
      if (!trusted) await starts.refund(bucket);
    },
  };
}

/**
 * Registers sign-in with identity providers. Sign-ins that a client starts but doesn't complete
 * count like failed sign-ins with a password.
 */
export function registerProviderRoutes(app: AppServer, deps: ProviderRoutesDependencies): void {
  const { clock, config, clientOf, openLimit = openLocalLimits(clock) } = deps;
  const { signInPerClient: limit, signInWindowMinutes } = config.limits.accounts;
  const windowMs = signInWindowMinutes * 60_000;
  const starts = openLimit({ name: "provider client", limit, windowMs });
  const context: ProviderRouteContext = {
    ...deps,
    get siteName() {
      return deps.siteName;
    },
    visitorOf: (request) => ({
      ...clientOf(request),
      userAgent: request.headers["user-agent"] ?? "",
    }),
    ...counting(starts),
  };
  registerList(app, context);
  registerStart(app, context);
  registerCallback(app, context);
  registerLinking(app, context);
}
