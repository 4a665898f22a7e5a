import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Clock, makeTimer } from "../../kit/clock.ts";
import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { eventStreamHeaders } from "../../kit/event-stream.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { sessionOf } from "../admin-auth/guard.ts";
import { responseStream } from "./response-stream.ts";
import type { Designer } from "./designer.ts";
import { builtProject, buildProjectBody, draft, draftBody } from "./schema.ts";

const described = { tags: ["console"], security: [{ session: [] }] };

function wantsStream({ headers }: FastifyRequest): boolean {
  return /(?:^|[\s,])text\/event-stream/.test(headers.accept ?? "");
}

export interface DesignRoutes {
  designer: Designer;
  clock: Clock;
  /** Whether a session, identified by its hash, is still alive. */
  isSessionAlive: (idHash: string) => Promise<boolean>;
  /** For tests: how often to check whether the session is due for a check, ms. */
  tickMs?: number;
}

/** How often the session is checked, ms: signing out stops the model within 5 s. */
const sessionEvery = 2000;

/** Aborted when the client has signed out or left. */
function abortWhenClientLeaves(
  { clock, isSessionAlive, tickMs = 1000 }: DesignRoutes,
  request: FastifyRequest,
  { raw }: FastifyReply,
): AbortSignal {
  const left = new AbortController();
  const { sessionHash } = sessionOf(request);
  const due = makeTimer(clock, sessionEvery);
  const checkSession = async () => {
    // If it can't be checked now, the next check decides: work that was paid for isn't thrown away.
    if (!due() || (await isSessionAlive(sessionHash).catch(() => true))) return;
    left.abort(new AppError("unauthenticated", "You signed out, so this was stopped."));
  };
  const tick = setInterval(() => void checkSession(), tickMs);
  const leave = () => {
    clearInterval(tick);
    left.abort(new AppError("unavailable", "The page that asked was closed."));
  };
  // If the client left before the listener was added, there is no event.
  if (raw.destroyed) leave();
  else raw.once("close", leave);
  return left.signal;
}

/** `guardRunner` checks authorization before any of these routes. */
export function registerDesign(app: AppServer, routes: DesignRoutes): void {
  const { designer } = routes;
  const closing = new AbortController();
  // A response in progress would keep the server from closing.
  app.addHook("preClose", async () =>
    closing.abort(
      new AppError("unavailable", "The server is shutting down. Try again in a moment."),
    ),
  );
  const untilOver = (request: FastifyRequest, reply: FastifyReply) =>
    AbortSignal.any([closing.signal, abortWhenClientLeaves(routes, request, reply)]);
  app.post(
    "/devconsole/draft",
    {
      schema: {
        ...described,
        summary: "Draft a project's summary, lede and text from a brief",
        body: draftBody,
        response: { 200: envelope(draft) },
      },
    },
    async (request, reply) =>
      ok(await designer.draft(request.body, { signal: untilOver(request, reply) })),
  );
  app.post(
    "/devconsole/build-project",
    {
      schema: {
        ...described,
        summary:
          "Build a whole project from a brief and stored images; progress as text/event-stream",
        body: buildProjectBody,
        response: { 200: envelope(builtProject) },
      },
    },
    async (request, reply) => {
      const signal = untilOver(request, reply);
      const { body } = request;
      if (!wantsStream(request)) {
        return ok(await designer.build(body, { signal, onProgress: () => {} }));
      }
      const onError = (err: unknown): void =>
        request.log.error({ err }, "building a project failed");
      const text = responseStream((call) => designer.build(body, call), { signal, onError });
      const stream = Readable.from(text, { objectMode: false });
      // The response is a stream, whatever its declared type.
      return reply.headers(eventStreamHeaders).send(stream as never);
    },
  );
}
