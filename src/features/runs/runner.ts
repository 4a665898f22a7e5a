import { Readable } from "node:stream";
import { z } from "zod";
import type { Clock } from "../../kit/clock.ts";
import { envelope, ok, pageOf, pageQuery } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { safeEqual } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Admin, AdminGuard } from "../admin-auth/guard.ts";
import type { PreviewTickets } from "../admin-auth/ticket.ts";
import type { RunEvents } from "./events.ts";
import type { Runs } from "./lifecycle.ts";
import { isFinal } from "./run.ts";
import {
  run,
  runDiff,
  runIdBody,
  runIdParams,
  runStarted,
  runStatus,
  startBody,
} from "./schema.ts";
import { lastSeq } from "./store.ts";
import { eventStream } from "./stream.ts";

export interface RunRoutes {
  db: Db;
  clock: Clock;
  runs: Runs;
  events: RunEvents;
  version: string;
  /** Whether a session, named by its hash, is still alive. */
  isSessionAlive: (idHash: string) => Promise<boolean>;
  /** For tests: how often a stream looks around, ms. */
  tickMs?: number;
}

const changes = {
  cancel: "Stop a queued or working run",
  discard: "Drop a preview, or close a failed or interrupted run",
  publish: "Put a ready preview before the public",
} as const;

const beginnings = {
  retry: "Begin a new run with the same instruction",
  restore: "Begin a run that undoes a published one",
} as const;

/** What the description of the API says of every route here. */
const described = { tags: ["console"], security: [{ session: [] }] };

/** Who may call these is checked before any route, by `guardRunner`. */
export function registerRuns(app: AppServer, routes: RunRoutes): void {
  const { runs } = routes;
  registerSession(app, routes);
  registerReading(app, routes);
  registerStream(app, routes);
  app.post(
    "/devconsole/run",
    {
      schema: {
        ...described,
        summary: "Begin a run",
        body: startBody,
        response: { 202: envelope(runStarted) },
      },
    },
    async (request, reply) => reply.code(202).send(ok(await runs.start(request.body))),
  );
  for (const name of Object.keys(changes) as (keyof typeof changes)[]) {
    app.post(
      `/devconsole/${name}`,
      {
        schema: {
          ...described,
          summary: changes[name],
          body: runIdBody,
          response: { 200: envelope(run) },
        },
      },
      async (request) => ok(await runs[name](request.body.runId)),
    );
  }
  for (const name of Object.keys(beginnings) as (keyof typeof beginnings)[]) {
    app.post(
      `/devconsole/${name}`,
      {
        schema: {
          ...described,
          summary: beginnings[name],
          body: runIdBody,
          response: { 202: envelope(runStarted) },
        },
      },
      async (request, reply) => reply.code(202).send(ok(await runs[name](request.body.runId))),
    );
  }
}

function registerSession(app: AppServer, { version }: RunRoutes): void {
  const pong = z.object({ pong: z.literal(true), version: z.string() });
  const admin = z.object({ admin: z.literal(true), expiresAt: z.string() });
  app.get(
    "/devconsole/ping",
    {
      schema: {
        ...described,
        summary: "Whether the runner answers",
        response: { 200: envelope(pong) },
      },
    },
    async () => ok({ pong: true as const, version }),
  );
  app.get(
    "/devconsole/auth",
    {
      schema: {
        ...described,
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

function registerReading(app: AppServer, { runs }: RunRoutes): void {
  const query = z.strictObject({ ...pageQuery, status: runStatus.optional() });
  app.get(
    "/devconsole/runs",
    {
      schema: {
        ...described,
        summary: "Runs, newest first",
        querystring: query,
        response: { 200: envelope(pageOf(run)) },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      return ok({ ...(await runs.list(request.query)), page, perPage });
    },
  );
  app.get(
    "/devconsole/runs/:id",
    {
      schema: {
        ...described,
        summary: "One run",
        params: runIdParams,
        response: { 200: envelope(run) },
      },
    },
    async (request) => ok(await runs.get(request.params.id)),
  );
  app.get(
    "/devconsole/runs/:id/diff",
    {
      schema: {
        ...described,
        summary: "What a run changed, file by file",
        params: runIdParams,
        response: { 200: envelope(runDiff) },
      },
    },
    async (request) => ok(await runs.diff(request.params.id)),
  );
}

/** The event a reader has last: 0 without the header; `not_found` when this run has no such event. */
async function lastEventId(db: Db, runId: string, header: unknown): Promise<number> {
  if (header === undefined || header === "") return 0;
  const seq = typeof header === "string" && /^\d{1,10}$/.test(header) ? Number(header) : -1;
  if (seq >= 0 && seq <= (await lastSeq(db, runId))) return seq;
  throw new AppError("not_found", "This run has no such event.");
}

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx would hold events back to fill its buffers.
  "x-accel-buffering": "no",
};

function registerStream(app: AppServer, routes: RunRoutes): void {
  const { db, runs } = routes;
  const closing = new AbortController();
  // An open stream would keep the server from closing.
  app.addHook("preClose", async () => closing.abort());
  app.get(
    "/devconsole/stream/:id",
    {
      schema: {
        ...described,
        summary: "A run's events as text/event-stream; Last-Event-ID resumes",
        params: runIdParams,
      },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id: runId, status } = await runs.get(request.params.id);
      const after = await lastEventId(db, runId, request.headers["last-event-id"]);
      // 204 tells an EventSource that there is no more to come (HTML standard, 9.2.3).
      const complete = after > 0 && isFinal(status) && after === (await lastSeq(db, runId));
      if (complete) return reply.code(204).headers({ "cache-control": "no-store" }).send();
      const { sessionHash } = sessionOf(request);
      const gone = new AbortController();
      // Not the body's own close: that waits for the stream, which waits for what happens next.
      reply.raw.once("close", () => gone.abort());
      const text = eventStream({
        ...routes,
        runId,
        after,
        isAlive: () => routes.isSessionAlive(sessionHash).catch(() => false),
        signal: AbortSignal.any([closing.signal, gone.signal]),
      });
      const body = Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });
      return reply.headers(streamHeaders).send(body);
    },
  );
}

/** The session that the guard found; the runner's routes are open to no other admin. */
function sessionOf({ admin }: { admin?: Admin }): Extract<Admin, { kind: "session" }> {
  if (admin?.kind === "session") return admin;
  throw new AppError("unauthenticated", "Sign in as the admin first.");
}

/**
 * Lets nothing through to the runner but calls that carry this instance's key and an admin session,
 * whatever the address they come from; a preview's own frame may show its ticket instead of a
 * session, and what lies below /internal, where the gate leads nobody, asks for the key alone. To be
 * registered before all routes: also what doesn't exist is 401 for a stranger.
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
    const reads = request.method === "GET" || request.method === "HEAD";
    if (reads && (await tickets.verifyUrl(request.url))) return;
    await requireSession(request);
  });
}
