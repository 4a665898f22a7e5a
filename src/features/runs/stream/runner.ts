import { Readable } from "node:stream";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { eventStreamHeaders } from "../../../kit/event-stream.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { sessionOf } from "../../admin-auth/guard.ts";
import { lastSeq } from "../event-store.ts";
import type { RunEvents } from "../events.ts";
import type { Runs } from "../lifecycle.ts";
import { described } from "../route.ts";
import { isFinal } from "../run.ts";
import { runIdParams } from "../schema.ts";
import { eventStream } from "../stream.ts";

export interface StreamRoutes {
  db: Db;
  clock: Clock;
  runs: Runs;
  events: RunEvents;
  /** Whether a session, named by its hash, is still alive. */
  isSessionAlive: (idHash: string) => Promise<boolean>;
  /** For tests: how often a stream looks around, ms. */
  tickMs?: number;
}

/** The event a reader has last: 0 without the header; `not_found` when this run has no such event. */
async function lastEventId(db: Db, runId: string, header: unknown): Promise<number> {
  if (header === undefined || header === "") return 0;
  const seq = typeof header === "string" && /^\d{1,10}$/.test(header) ? Number(header) : -1;
  if (seq >= 0 && seq <= (await lastSeq(db, runId))) return seq;
  throw new AppError("not_found", "This run has no such event.");
}

/** The stream of a run's events. */
export function registerStream(app: AppServer, routes: StreamRoutes): void {
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
      return reply.headers(eventStreamHeaders).send(body);
    },
  );
}
