import type { FastifyRequest } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import type { UsableModel } from "../agent/model-choice.ts";
import type { RunEvents } from "../runs/events.ts";
import { makeBoard } from "./board/board.ts";
import { createTask } from "./create-task.ts";
import type { QueuePause } from "./pause.ts";
import { countTasks, listTasks } from "./board/list-store.ts";
import { approveTask, cancelTask, retryTask } from "./queue/queue.ts";
import { serializeTaskDetail, serializeTasks } from "./board/serialize-task.ts";
import {
  noBody,
  queuePause,
  type Task,
  task,
  taskBoard,
  taskCounts,
  taskCreate,
  taskDetail,
  approveBody,
  taskIdBody,
  taskIdQuery,
  taskList,
  taskListQuery,
} from "./schema.ts";
import { findTask, type TaskRow } from "./store.ts";

export interface TaskRoutesDependencies {
  guard: Pick<AdminGuard, "requireAdmin">;
  db: Db;
  clock: Clock;
  events: RunEvents;
  /** Maximum attempts of a task. */
  maxAttempts: number;
  pause: QueuePause;
  /** The number of live runners. */
  runners(): Promise<number>;
  ownerName: string;
  /** The abilities of the selected model; null without one. */
  model(): Promise<UsableModel>;
  /** Wakes the runner, without waiting. */
  wake(): void;
}

const described = adminRoute("tasks");
const changeErrorResponses = { ...adminErrorResponses, 404: errorEnvelope, 409: errorEnvelope };

async function requireTask(db: Db, id: number): Promise<TaskRow> {
  const row = await findTask(db, id);
  if (row) return row;
  throw new AppError("not_found", "This task doesn't exist.");
}

/** The caller: a token by its name, a session as the owner. */
function actorOf({ admin }: FastifyRequest, ownerName: string): string {
  return admin?.kind === "token" ? admin.name : ownerName;
}

async function toResponse(
  { db, maxAttempts }: TaskRoutesDependencies,
  row: TaskRow,
): Promise<Task> {
  const [found] = await serializeTasks(db, [row], maxAttempts);
  if (!found) throw new Error("A task without its record.");
  return found;
}

/** The task is stored: a runner that can't be woken finds it by itself. */
function wakeRunner({ wake }: TaskRoutesDependencies, request: FastifyRequest): void {
  try {
    wake();
  } catch (error) {
    request.log.warn({ err: error }, "the runner can't be woken");
  }
}

function registerReading(app: AppServer, deps: TaskRoutesDependencies): void {
  const { db, maxAttempts } = deps;
  const onRequest = [noStore, deps.guard.requireAdmin("read")];
  app.get(
    "/api/admintasks/list",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List tasks, recently changed first by default",
        querystring: taskListQuery,
        response: { 200: envelope(taskList), ...adminErrorResponses },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      const { rows, total } = await listTasks(db, request.query);
      return ok({ items: await serializeTasks(db, rows, maxAttempts), total, page, perPage });
    },
  );
  app.get(
    "/api/admintasks/get",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get a task with its project, runs and history",
        querystring: taskIdQuery,
        response: { 200: envelope(taskDetail), ...adminErrorResponses, 404: errorEnvelope },
      },
    },
    async (request) =>
      ok(await serializeTaskDetail(db, await requireTask(db, request.query.id), maxAttempts)),
  );
}

function registerOverview(app: AppServer, deps: TaskRoutesDependencies): void {
  const { db, pause } = deps;
  const onRequest = [noStore, deps.guard.requireAdmin("read")];
  const readBoard = makeBoard(deps);
  app.get(
    "/api/admintasks/board",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Everything on the task board; 304 if it hasn't changed",
        querystring: noBody,
        response: { 200: envelope(taskBoard), ...adminErrorResponses },
      },
    },
    async (request, reply) => {
      const board = await readBoard();
      reply.header("etag", board.etag);
      if (isUnchanged(request.headers["if-none-match"], board.etag)) {
        return reply.code(304 as never).send();
      }
      return ok(board.read());
    },
  );
  app.get(
    "/api/admintasks/counts",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Count tasks that are queued, running and waiting for review",
        querystring: noBody,
        response: { 200: envelope(taskCounts), ...adminErrorResponses },
      },
    },
    async () => {
      const [counts, paused] = await Promise.all([countTasks(db), pause.get()]);
      return ok({ ...counts, paused });
    },
  );
}

function registerCreating(app: AppServer, deps: TaskRoutesDependencies): void {
  app.post(
    "/api/admintasks/create",
    {
      onRequest: [noStore, deps.guard.requireAdmin("write")],
      schema: {
        ...described,
        summary:
          "Queue a task; the title defaults to the instruction's first words. A new project (projectStatus) needs a model: 503 `model_not_configured`",
        body: taskCreate,
        response: { 201: envelope(task), ...adminErrorResponses, 503: errorEnvelope },
      },
    },
    async (request, reply) => {
      const row = await createTask(deps, request.body, actorOf(request, deps.ownerName));
      wakeRunner(deps, request);
      return reply.code(201).send(ok(await toResponse(deps, row)));
    },
  );
}

type Change = (deps: TaskRoutesDependencies, id: number, by: string) => Promise<TaskRow>;

const changes: Readonly<Record<string, { summary: string; change: Change }>> = {
  cancel: {
    summary: "Cancel a task before it is published; one that waits for review is discarded",
    change: cancelTask,
  },
  retry: {
    summary: "Requeue a task that ended without a change or waits for review",
    change: retryTask,
  },
};

function registerChanging(app: AppServer, deps: TaskRoutesDependencies): void {
  for (const [name, { summary, change }] of Object.entries(changes)) {
    app.post(
      `/api/admintasks/${name}`,
      {
        onRequest: [noStore, deps.guard.requireAdmin("write")],
        schema: {
          ...described,
          summary,
          body: taskIdBody,
          response: { 200: envelope(task), ...changeErrorResponses },
        },
      },
      async (request) => {
        const row = await change(deps, request.body.id, actorOf(request, deps.ownerName));
        wakeRunner(deps, request);
        return ok(await toResponse(deps, row));
      },
    );
  }
}

function registerApproving(app: AppServer, deps: TaskRoutesDependencies): void {
  app.post(
    "/api/admintasks/approve",
    {
      onRequest: [noStore, deps.guard.requireAdmin("write")],
      schema: {
        ...described,
        summary:
          "Approve a task that waits for review; the runner publishes it. 409 `private_text` if it shows private text, until you confirm exactly that text",
        body: approveBody,
        response: { 200: envelope(task), ...changeErrorResponses },
      },
    },
    async (request) => {
      const { id } = request.body;
      // Only a person who has seen it can confirm it; a token belongs to a program.
      const isOwner = request.admin?.kind !== "token";
      const confirmPrivate = isOwner ? (request.body.confirmPrivate ?? null) : null;
      const by = actorOf(request, deps.ownerName);
      const row = await approveTask(deps, id, by, confirmPrivate);
      wakeRunner(deps, request);
      return ok(await toResponse(deps, row));
    },
  );
}

function registerPausing(app: AppServer, deps: TaskRoutesDependencies): void {
  for (const [name, paused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    app.post(
      `/api/admintasks/${name}`,
      {
        onRequest: [noStore, deps.guard.requireAdmin("write")],
        schema: {
          ...described,
          summary: paused
            ? "Pause the queue: runners start no tasks automatically"
            : "Resume the queue",
          body: noBody,
          response: { 200: envelope(queuePause), ...adminErrorResponses },
        },
      },
      async (request) => {
        await deps.pause.set(paused);
        if (!paused) wakeRunner(deps, request);
        return ok({ paused });
      },
    );
  }
}

/** The task queue API, for an admin session or a token with the scope. */
export function registerTasks(app: AppServer, deps: TaskRoutesDependencies): void {
  registerReading(app, deps);
  registerOverview(app, deps);
  registerCreating(app, deps);
  registerChanging(app, deps);
  registerApproving(app, deps);
  registerPausing(app, deps);
}
