import { Readable } from "node:stream";
import { type Clock, makeTimer } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { eventStreamHeaders, serializeEvent } from "../../../kit/event-stream.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { sessionOf } from "../../admin-auth/guard.ts";
import { findLastSeq } from "../event-store.ts";
import type { RunEvents } from "../events.ts";
import { isFinal } from "../run-status.ts";
import type { Runs } from "../runs.ts";
import { runIdParams, type StoredRunEvent } from "../schema.ts";
import { findStatus } from "../store.ts";
import { consoleRoute } from "./route-schema.ts";

type EventStreamDependencies = Pick<RunStreamDependencies, "db" | "clock" | "events">;

/** A client's request for a stream. */
export interface EventStreamOptions {
  runId: string;
  /** The last event that the client has; 0 for none. */
  after: number;
  /** Whether the client is still signed in. */
  isAlive: () => Promise<boolean>;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** How often to check the clock and events stored by other processes, ms; defaults to 1,000. */
  pollMs?: number | undefined;
}

/** The interval of keep-alive comments, ms. */
const pingIntervalMs = 15_000;
/** How often the client's session is checked, ms: signing out closes the stream within 5 s. */
const sessionCheckIntervalMs = 2000;

/** A run's event in the stream's format. */
function formatEvent({ seq, type, data }: StoredRunEvent): string {
  return serializeEvent(type, data, seq);
}

/** A signal to wait for; a signal sent while nobody waits isn't lost. */
function makeSignal() {
  let ring = Promise.withResolvers<void>();
  return {
    ring: () => ring.resolve(),
    async wait() {
      await ring.promise;
      ring = Promise.withResolvers<void>();
    },
  };
}

/** All stored events after `seq`, in chunks. */
async function* readChunksAfter(events: RunEvents, runId: string, seq: number) {
  for (let last = seq; ;) {
    const batch = await events.listAfter(runId, last);
    if (batch.length === 0) return;
    last = batch.at(-1)?.seq ?? last;
    yield { text: batch.map(formatEvent).join(""), last };
  }
}

/**
 * The event stream of a run: missed events, then new ones, until the run is final, the session has
 * ended, or the client leaves. A slow client makes it wait, not buffer.
 */
export async function* streamEvents(
  { db, clock, events }: EventStreamDependencies,
  options: EventStreamOptions,
): AsyncGenerator<string, void> {
  const { runId, signal } = options;
  const bell = makeSignal();
  const pingDue = makeTimer(clock, pingIntervalMs);
  const sessionDue = makeTimer(clock, sessionCheckIntervalMs);
  const stop = events.subscribe(runId, bell.ring);
  const tick = setInterval(bell.ring, options.pollMs ?? 1000);
  signal.addEventListener("abort", bell.ring);
  try {
    let seq = options.after;
    yield "retry: 1000\n\n";
    while (!signal.aborted) {
      if (sessionDue() && !(await options.isAlive())) return;
      // Read before the events, because a final state is stored together with its last event.
      const status = await findStatus(db, runId);
      for await (const { text, last } of readChunksAfter(events, runId, seq)) {
        seq = last;
        yield text;
      }
      if (status === null || isFinal(status)) return;
      if (pingDue()) yield ": ping\n\n";
      await bell.wait();
    }
  } finally {
    clearInterval(tick);
    stop();
    signal.removeEventListener("abort", bell.ring);
  }
}

export interface RunStreamDependencies {
  db: Db;
  clock: Clock;
  runs: Runs;
  events: RunEvents;
  /** Whether a session, identified by its hash, is still alive. */
  isSessionAlive: (idHash: string) => Promise<boolean>;
  /** See `EventStreamOptions`. */
  pollMs?: number;
}

/**
 * The last event that a client has: 0 without the header; `not_found` if this run has no such
 * event.
 */
async function parseLastEventId(db: Db, runId: string, header: unknown): Promise<number> {
  if (header === undefined || header === "") return 0;
  const seq = typeof header === "string" && /^\d{1,10}$/.test(header) ? Number(header) : -1;
  if (seq >= 0 && seq <= (await findLastSeq(db, runId))) return seq;
  throw new AppError("not_found", "This event isn't part of the run.");
}

/** The stream of a run's events. */
export function registerRunStream(app: AppServer, deps: RunStreamDependencies): void {
  const { db, runs } = deps;
  const closing = new AbortController();
  // An open stream would keep the server from closing.
  app.addHook("preClose", async () => closing.abort());
  app.get(
    "/devconsole/stream/:id",
    {
      schema: {
        ...consoleRoute,
        summary: "A run's events as text/event-stream; Last-Event-ID resumes",
        params: runIdParams,
      },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id: runId, status } = await runs.get(request.params.id);
      const after = await parseLastEventId(db, runId, request.headers["last-event-id"]);
      // 204 tells an EventSource not to reconnect (HTML standard, 9.2.3).
      const complete = after > 0 && isFinal(status) && after === (await findLastSeq(db, runId));
      if (complete) return reply.code(204).headers({ "cache-control": "no-store" }).send();
      const { sessionHash } = sessionOf(request);
      const gone = new AbortController();
      // Not the body's own close: that waits for the stream, which waits for the next event.
      reply.raw.once("close", () => gone.abort());
      const text = streamEvents(deps, {
        runId,
        after,
        isAlive: () => deps.isSessionAlive(sessionHash).catch(() => false),
        signal: AbortSignal.any([closing.signal, gone.signal]),
        pollMs: deps.pollMs,
      });
      const body = Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });
      return reply.headers(eventStreamHeaders).send(body);
    },
  );
}
