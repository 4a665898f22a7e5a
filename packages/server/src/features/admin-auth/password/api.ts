import type { FastifyRequest } from "fastify";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { ClientOf } from "../../../platform/http/client-address.ts";
import { throttledError } from "../../../platform/http/public-throttle.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, noStore } from "../admin-route.ts";
import { type AdminGuard, sessionOf } from "../guard.ts";
import { type OwnPasswordDependencies, setOwnPassword, viewPassword } from "./own-password.ts";
import type { SignIn } from "../sign-in.ts";
import { passwordBody, passwordView, signInMethods } from "./schema.ts";

export interface PasswordRoutes extends OwnPasswordDependencies {
  guard: AdminGuard;
  clientOf: ClientOf;
  signIn: Pick<SignIn, "confirmPassword">;
}

const tags = ["admin sign-in"];
/** A token must not be able to take over the sign-in. */
const bySession = { tags, security: [{ session: [] }] };

/** Whether there is a password, for everybody; setting and changing it, for an admin session. */
export function registerPassword(app: AppServer, routes: PasswordRoutes): void {
  const { guard, db } = routes;
  app.get(
    "/api/adminauth/methods",
    {
      onRequest: noStore,
      schema: {
        tags,
        summary: "Whether the admin can sign in with a password",
        response: { 200: envelope(signInMethods), 503: errorEnvelope },
      },
    },
    async () => ok({ password: (await viewPassword(db)).isSet }),
  );
  app.get(
    "/api/adminauth/password",
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        ...bySession,
        summary: "Whether and since when the admin has a password",
        response: { 200: envelope(passwordView), ...adminErrorResponses },
      },
    },
    async () => ok(await viewPassword(db)),
  );
  app.post(
    "/api/adminauth/password",
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        ...bySession,
        summary: "Set or change the admin password, and sign out all other sessions",
        body: passwordBody,
        response: {
          200: envelope(passwordView),
          409: errorEnvelope,
          429: errorEnvelope,
          503: errorEnvelope,
          ...adminErrorResponses,
        },
      },
    },
    async (request) => {
      const { password, current } = request.body;
      const { sessionHash } = sessionOf(request);
      const isCurrent = (secret: string) => confirm(routes, request, secret);
      return ok(await setOwnPassword(routes, { password, current, isCurrent, sessionHash }));
    },
  );
}

/**
 * Requires the admin's password, if there is one, because a browser may have been left signed in.
 * Guesses count as failed sign-ins. Throws `validation_failed` with the field, and `throttled`.
 */
export async function assertPassword(
  routes: PasswordRoutes,
  request: FastifyRequest,
  password: string | undefined,
): Promise<void> {
  if (!(await viewPassword(routes.db)).isSet) return;
  const wrong = (message: string, words: string) =>
    new AppError("validation_failed", message, { fields: { password: words } });
  if (password === undefined || password === "") {
    throw wrong("Enter your password.", "is missing: enter the password you sign in with");
  }
  if (!(await confirm(routes, request, password))) {
    throw wrong("That isn't your password.", "isn't your password");
  }
}

async function confirm(
  { clientOf, signIn }: PasswordRoutes,
  request: FastifyRequest,
  secret: string,
): Promise<boolean> {
  const { address: ip, bucket, trusted } = clientOf(request);
  const userAgent = request.headers["user-agent"] ?? "";
  const attempt = { method: "password", secret, ip, bucket, trusted, userAgent } as const;
  const result = await signIn.confirmPassword(attempt);
  if (result.outcome === "throttled") throw throttledError(result.allowance);
  return result.outcome === "success";
}
