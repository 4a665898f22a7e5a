import { z } from "zod";
import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { safeEqual } from "../../kit/hash.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { type AdminGuard, sessionOf } from "../admin-auth/guard.ts";
import { isTicketed, type PreviewTickets } from "../admin-auth/ticket.ts";
import { registerRunCommands } from "./routes/commands.ts";
import { registerInlineEdits } from "./routes/inline-edits.ts";
import { registerRunQueries } from "./routes/queries.ts";
import { registerRunRecords } from "./routes/records.ts";
import { consoleRoute } from "./routes/route-schema.ts";
import { registerRunStream, type RunStreamDependencies } from "./routes/stream.ts";

export interface RunRoutesDependencies extends RunStreamDependencies {
  version: string;
}

/** `guardRunner` checks authorization before any of these routes. */
export function registerRunRoutes(app: AppServer, deps: RunRoutesDependencies): void {
  registerSession(app, deps);
  registerRunQueries(app, deps);
  registerRunStream(app, deps);
  registerRunCommands(app, deps);
  registerRunRecords(app, deps);
  registerInlineEdits(app, deps);
}

function registerSession(app: AppServer, { version }: RunRoutesDependencies): void {
  const pong = z.object({ pong: z.literal(true), version: z.string() });
  const admin = z.object({ admin: z.literal(true), expiresAt: z.string() });
  app.get(
    "/devconsole/ping",
    {
      schema: {
        ...consoleRoute,
        summary: "Check that the runner responds",
        response: { 200: envelope(pong) },
      },
    },
    async () => ok({ pong: true as const, version }),
  );
  app.get(
    "/devconsole/auth",
    {
      schema: {
        ...consoleRoute,
        summary: "The signed-in admin, as the runner sees them",
        response: { 200: envelope(admin) },
      },
    },
    async (request) => {
      const { expiresAt } = sessionOf(request);
      return ok({ admin: true as const, expiresAt });
    },
  );
}

/**
 * Accepts only requests with this instance's key and an admin session, whatever their address.
 * Style sheets, scripts, fonts, and media of a preview can be requested with a ticket instead of a
 * session, and paths below /internal, which the gate never proxies, need only the key. Register it
 * before all routes: without authorization, even addresses that don't exist are 401.
 */
export function guardRunner(
  app: AppServer,
  options: { key: string; guard: AdminGuard; tickets: PreviewTickets },
): void {
  const { key, tickets } = options;
  const requireSession = options.guard.requireSession();
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store");
    const given = request.headers["x-vitrine-key"];
    if (typeof given !== "string" || !safeEqual(given, key)) {
      throw new AppError("unauthenticated", "Sign in as the admin first.");
    }
    if (request.routeOptions.url?.startsWith("/internal/")) return;
    if (isTicketed(request) && (await tickets.verifyUrl(request.url))) return;
    await requireSession(request);
  });
}
