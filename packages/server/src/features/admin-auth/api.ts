import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { addressBucket, type ClientOf } from "../../platform/http/client-address.ts";
import { registerFormParser } from "../../platform/http/form-body.ts";
import { assertSameOrigin } from "../../platform/http/origin.ts";
import { throttledError } from "../../platform/http/public-throttle.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { OpenAttemptLimit } from "../../platform/throttle.ts";
import { wantsPage } from "../../platform/http/wants-page.ts";
import { noStore } from "./admin-route.ts";
import type { AdminGuard } from "./guard.ts";
import { type Hasher, makeHasher } from "./hasher.ts";
import { assertPassword, registerPassword } from "./password/api.ts";
import { viewPassword } from "./password/own-password.ts";
import { classifyLinkVisitor } from "./link-visitor.ts";
import { couldBeLinkToken } from "./malformed-link.ts";
import { returnAddress, signInAddress } from "./return-address.ts";
import { adminIdentity, checkQuery, loginBody, pong, signedOut } from "./schema.ts";
import type { NewSession } from "./sessions.ts";
import { type AttemptResult, makeSignIn, type SignIn } from "./sign-in.ts";

export interface AdminAuthDependencies {
  db: Db;
  clock: Clock;
  config: Pick<Config, "baseUrl" | "limits">;
  guard: AdminGuard;
  clientOf: ClientOf;
  /** Where failures are counted; by default, in this process. */
  openLimit?: OpenAttemptLimit;
  /** bcrypt with limits; by default, a new one. */
  hasher?: Hasher;
}

/** Sign-in routes with their own limits, or called by a gateway for every file. */
export const ownLimits = ["/api/adminauth/login", "/api/adminauth/check"];

interface SignInDependencies {
  db: Db;
  guard: AdminGuard;
  signIn: SignIn;
  clientOf: ClientOf;
  origins: string[];
  end(idHash: string): Promise<void>;
}

const signInPage = signInAddress(null);
const failedPage = signInAddress(null, true);
const formBounds = { maxBytes: 8 * 1024, maxFields: 8 };

function attempt(
  signInDependencies: SignInDependencies,
  request: FastifyRequest,
  method: "password" | "link",
  secret: string,
): Promise<AttemptResult> {
  const { address: ip, bucket, trusted } = signInDependencies.clientOf(request);
  const userAgent = request.headers["user-agent"] ?? "";
  return signInDependencies.signIn.attempt({ method, secret, ip, bucket, trusted, userAgent });
}

/**
 * Sets the cookie of the new session and ends the one that the browser sent, whoever planted it.
 */
async function handOut(
  signInDependencies: SignInDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  signedIn: NewSession,
): Promise<void> {
  const former = await signInDependencies.guard.findSession(request);
  if (former) await signInDependencies.end(former.idHash);
  reply.header("set-cookie", signInDependencies.guard.cookie.issue(signedIn.id));
}

async function signOut(
  signInDependencies: SignInDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await signInDependencies.guard.findSession(request);
  if (session) await signInDependencies.end(session.idHash);
  reply.header("set-cookie", signInDependencies.guard.cookie.clear());
}

/** Why a password is refused: it is wrong, or none was ever set. */
async function wrongPasswordMessage({ db }: SignInDependencies): Promise<string> {
  if ((await viewPassword(db)).isSet) return "That isn't the password. Try again.";
  return "This site has no admin password yet. Sign in with a link: run `vitrine set-admin-token` on the server to get one.";
}

const tags = ["admin sign-in"];

function registerLogin(app: AppServer, signInDependencies: SignInDependencies): void {
  const sameOrigin = async (request: FastifyRequest) =>
    assertSameOrigin(request, signInDependencies.origins);
  app.post(
    "/api/adminauth/login",
    {
      onRequest: [noStore, sameOrigin],
      schema: {
        tags,
        summary: "Sign in with the admin password",
        body: loginBody,
        response: { 200: envelope(adminIdentity), 401: errorEnvelope, 429: errorEnvelope },
      },
    },
    async (request, reply) => {
      const result = await attempt(signInDependencies, request, "password", request.body.password);
      if (result.outcome === "throttled") throw throttledError(result.allowance);
      if (result.outcome === "failure") {
        throw new AppError("invalid_credentials", await wrongPasswordMessage(signInDependencies));
      }
      await handOut(signInDependencies, request, reply, result.signedIn);
      return ok({ admin: true as const, expiresAt: result.signedIn.session.expiresAt });
    },
  );
}

function registerSession(app: AppServer, signInDependencies: SignInDependencies): void {
  const { guard } = signInDependencies;
  app.post(
    "/api/adminauth/logout",
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        tags,
        summary: "Sign out of the admin",
        security: [{ session: [] }],
        response: { 200: envelope(signedOut), 401: errorEnvelope },
      },
    },
    async (request, reply) => {
      await signOut(signInDependencies, request, reply);
      return ok({ admin: false as const });
    },
  );

  app.get(
    "/api/adminauth/me",
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        tags,
        summary: "The signed-in admin",
        security: [{ session: [] }],
        response: { 200: envelope(adminIdentity), 401: errorEnvelope },
      },
    },
    async (request) => {
      const { admin } = request;
      if (admin?.kind !== "session") throw new AppError("unauthenticated", "Sign in first.");
      return ok({ admin: true as const, expiresAt: admin.expiresAt });
    },
  );
}

/** For gateways (such as nginx auth_request): answers with the status alone. */
function registerCheck(app: AppServer, { guard }: SignInDependencies): void {
  app.get(
    "/api/adminauth/check",
    {
      // A gateway calls this for every file and logs those requests itself.
      logLevel: "warn",
      schema: {
        tags,
        summary: "204 for the signed-in admin, 401 for everyone else",
        security: [{ session: [] }],
        querystring: checkQuery,
        response: { 204: z.null(), 401: z.null(), 503: errorEnvelope },
      },
    },
    async (request, reply) => {
      const session = await guard.findSession(request);
      return reply
        .header("cache-control", "no-store")
        .code(session ? 204 : 401)
        .serializer(() => "")
        .send(null);
    },
  );
}

function registerPing(app: AppServer, { guard }: SignInDependencies): void {
  app.get(
    "/api/admin/ping",
    {
      onRequest: guard.requireToken(),
      schema: {
        tags: ["admin API"],
        summary: "Check a bearer token",
        security: [{ bearer: [] }],
        response: { 200: envelope(pong), 401: errorEnvelope },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      const { admin } = request;
      if (admin?.kind !== "token")
        throw new AppError(
          "unauthenticated",
          "A token is required. Send it as “Authorization: Bearer …”.",
        );
      return ok({ pong: true as const, token: admin.name, scopes: admin.scopes });
    },
  );
}

/** The secret link. Its address is a secret, so it is neither cached nor sent as a referrer. */
function registerLink(app: AppServer, signInDependencies: SignInDependencies): void {
  app.get(
    "/admin/:token",
    { exposeHeadRoute: false, schema: { hide: true } },
    async (request, reply) => {
      reply.headers({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
      const { token } = request.params as { token: string };
      if (!couldBeLinkToken(token)) {
        throw new AppError("not_found", "There is nothing at this address.");
      }
      const visitor = classifyLinkVisitor(request.headers);
      // Browsers discard a failed prefetch and request the link again when it is opened.
      if (visitor === "prefetch") return reply.code(503).header("retry-after", "0").send();
      if (visitor === "previewer") return reply.redirect(signInPage, 302);
      const result = await attempt(signInDependencies, request, "link", token);
      if (result.outcome === "throttled") throw throttledError(result.allowance);
      if (result.outcome === "failure") return reply.redirect(failedPage, 302);
      await handOut(signInDependencies, request, reply, result.signedIn);
      return reply.redirect(signInPage, 302);
    },
  );
  for (const url of ["/admin/login", "/admin/logout"]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      if (wantsPage(request)) return reply.redirect(signInPage, 303);
      throw new AppError("method_not_allowed", "Submit this form from its page.", {
        headers: { allow: "POST" },
      });
    });
  }
}

/** Sign-in for browsers without JavaScript: a form that redirects to the next page. */
function registerForms(app: AppServer, signInDependencies: SignInDependencies): void {
  void app.register(async (forms) => {
    registerFormParser(forms, formBounds);
    forms.addHook("onRequest", async (request, reply) => {
      reply.header("cache-control", "no-store");
      assertSameOrigin(request, signInDependencies.origins);
    });
    forms.post("/admin/login", { schema: { hide: true } }, async (request, reply) => {
      const { password, next } = (request.body ?? {}) as { password?: unknown; next?: unknown };
      const secret = typeof password === "string" ? password : "";
      const result = await attempt(signInDependencies, request, "password", secret);
      if (result.outcome === "success") {
        await handOut(signInDependencies, request, reply, result.signedIn);
        return reply.redirect(returnAddress(next) ?? signInPage, 303);
      }
      return reply.redirect(signInAddress(returnAddress(next), true), 303);
    });
    forms.post("/admin/logout", { schema: { hide: true } }, async (request, reply) => {
      await signOut(signInDependencies, request, reply);
      return reply.redirect(signInPage, 303);
    });
  });
}

/**
 * Registers the admin sign-in: JSON routes, forms, the secret link, the password, the gateway
 * check, the ping. Returns the check of the password for what can't be undone.
 */
export function registerAdminAuth(
  app: AppServer,
  deps: AdminAuthDependencies,
): { assertPassword(request: FastifyRequest, password: string | undefined): Promise<void> } {
  const { db, clock, config, guard, clientOf, hasher = makeHasher() } = deps;
  const { sessions } = guard;
  const limits = config.limits.adminSignIn;
  const { openLimit } = deps;
  const bucketOf = addressBucket;
  const signIn = makeSignIn({ db, clock, sessions, hasher, limits, bucketOf, openLimit });
  const origins = [new URL(config.baseUrl).origin];
  const signInDependencies: SignInDependencies = {
    db,
    guard,
    signIn,
    clientOf,
    origins,
    end: sessions.end,
  };
  registerLogin(app, signInDependencies);
  registerSession(app, signInDependencies);
  registerCheck(app, signInDependencies);
  registerPing(app, signInDependencies);
  registerLink(app, signInDependencies);
  registerForms(app, signInDependencies);
  const passwords = { db, clock, hasher, signIn, guard, clientOf };
  registerPassword(app, passwords);
  return {
    assertPassword: (request, password) => assertPassword(passwords, request, password),
  };
}
