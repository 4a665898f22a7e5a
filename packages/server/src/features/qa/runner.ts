import { Readable } from "node:stream";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { eventStreamHeaders } from "../../kit/event-stream.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { sessionOf } from "../admin-auth/guard.ts";
import { findRun, type QaRunRow } from "./runs/store.ts";
import { runStream } from "./runs/run-stream.ts";
import type { QaRunTrigger } from "./schema.ts";
import { noBody, runStarted, runParams, runStopping, stopBody } from "./schema.ts";

export interface QaRunnerDependencies {
  db: Db;
  clock: Clock;
  qaRuns: {
    /** Throws `invalid_state` with the ID of the current run if there is one. */
    start(trigger: QaRunTrigger, by: string): Promise<QaRunRow>;
    /** Whether the run was running; it is asked to stop. */
    stop(runId: number): Promise<boolean>;
  };
  ownerName: string;
  /** Whether a session, identified by its hash, is still alive. */
  isSessionAlive: (idHash: string) => Promise<boolean>;
  /** For tests: the polling interval of a stream, ms. */
  tickMs?: number;
}

const described = { tags: ["console"], security: [{ session: [] as string[] }] };

async function need(db: Db, id: number): Promise<QaRunRow> {
  const row = await findRun(db, id);
  if (row) return row;
  throw new AppError("not_found", "This QA run doesn't exist.");
}

function registerStart(app: AppServer, deps: QaRunnerDependencies): void {
  const { db, qaRuns } = deps;
  app.post(
    "/devconsole/qa/run",
    {
      schema: {
        ...described,
        summary: "Start a QA run; 409 with the run's id while one is in progress",
        body: noBody.nullish(),
        response: { 202: envelope(runStarted), 409: errorEnvelope },
      },
    },
    async (_request, reply) => {
      const { id: runId, started_at: startedAt } = await qaRuns.start("manual", deps.ownerName);
      return reply.code(202).send(ok({ runId, startedAt }));
    },
  );
  app.post(
    "/devconsole/qa/stop",
    {
      schema: {
        ...described,
        summary: "Cancel a QA run in progress; its findings are discarded",
        body: stopBody,
        response: { 202: envelope(runStopping), 404: errorEnvelope, 409: errorEnvelope },
      },
    },
    async (request, reply) => {
      const { runId } = request.body;
      if (!(await qaRuns.stop(runId))) {
        const { status } = await need(db, runId);
        throw new AppError("invalid_state", `A QA run that is ${status} can't be stopped.`, {
          details: { status },
        });
      }
      return reply.code(202).send(ok({ runId, stopping: true as const }));
    },
  );
}

function registerRunStream(app: AppServer, deps: QaRunnerDependencies): void {
  const { db } = deps;
  const closing = new AbortController();
  // An open stream would keep the server from closing.
  app.addHook("preClose", async () => closing.abort());
  app.get(
    "/devconsole/qa/stream/:runId",
    {
      schema: {
        ...described,
        summary: "A QA run's progress as text/event-stream: qa.progress, then qa.finished",
        params: runParams,
      },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id: runId, status } = await need(db, request.params.runId);
      const seen = request.headers["last-event-id"];
      // 204 tells an EventSource not to reconnect (HTML standard, 9.2.3).
      if (status !== "running" && seen === "1") {
        return reply.code(204).headers({ "cache-control": "no-store" }).send();
      }
      const { sessionHash } = sessionOf(request);
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const text = runStream({
        db,
        clock: deps.clock,
        runId,
        tickMs: deps.tickMs,
        isAlive: () => deps.isSessionAlive(sessionHash).catch(() => false),
        signal: AbortSignal.any([closing.signal, gone.signal]),
      });
      const body = Readable.from(text, { objectMode: false, highWaterMark: 16 * 1024 });
      return reply.headers(eventStreamHeaders).send(body);
    },
  );
}

/** QA runs on the runner. `guardRunner` checks authorization before any of these routes. */
export function registerQaRunner(app: AppServer, deps: QaRunnerDependencies): void {
  registerStart(app, deps);
  registerRunStream(app, deps);
}
