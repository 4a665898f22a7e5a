import type { FastifyRequest } from "fastify";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminRefusals, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import type { RunEvents } from "../runs/events.ts";
import { makeBoard } from "./board/board.ts";
import { takeIn } from "./intake.ts";
import type { QueuePause } from "./pause.ts";
import { countTasks, listTasks } from "./board/list-store.ts";
import { approveTask, cancelTask, retryTask } from "./queue/queue.ts";
import { detailOf, tasksOf } from "./board/record.ts";
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

export interface TaskRoutes {
  guard: Pick<AdminGuard, "requireAdmin">;
  db: Db;
  clock: Clock;
  events: RunEvents;
  /** How often a task is begun at most. */
  mostAttempts: number;
  pause: QueuePause;
  /** How many runners live. */
  runners(): Promise<number>;
  ownerName: string;
  /** Tells the runner that there is something to look at; nobody waits for it. */
  wake(): void;
}

const described = adminRoute("tasks");
const changeRefusals = { ...adminRefusals, 404: errorEnvelope, 409: errorEnvelope };

async function need(db: Db, id: number): Promise<TaskRow> {
  const row = await findTask(db, id);
  if (row) return row;
  throw new AppError("not_found", "There is no such task.");
}

/** Who asks: a token by its name, a session is the owner's. */
function actorOf({ admin }: FastifyRequest, ownerName: string): string {
  return admin?.kind === "token" ? admin.name : ownerName;
}

async function asAnswer({ db, mostAttempts }: TaskRoutes, row: TaskRow): Promise<Task> {
  const [found] = await tasksOf(db, [row], mostAttempts);
  if (!found) throw new Error("A task without its record.");
  return found;
}

/** What is done is done: a runner that can't be told looks by itself. */
function wakeRunner({ wake }: TaskRoutes, request: FastifyRequest): void {
  try {
    wake();
  } catch (error) {
    request.log.warn({ err: error }, "the runner can't be woken");
  }
}

function registerReading(app: AppServer, routes: TaskRoutes): void {
  const { db, mostAttempts } = routes;
  const onRequest = [noStore, routes.guard.requireAdmin("read")];
  app.get(
    "/api/admintasks/list",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Tasks, those that changed last first unless another order is asked for",
        querystring: taskListQuery,
        response: { 200: envelope(taskList), ...adminRefusals },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      const { rows, total } = await listTasks(db, request.query);
      return ok({ items: await tasksOf(db, rows, mostAttempts), total, page, perPage });
    },
  );
  app.get(
    "/api/admintasks/get",
    {
      onRequest,
      schema: {
        ...described,
        summary: "One task, with its project, its runs and what happened to it",
        querystring: taskIdQuery,
        response: { 200: envelope(taskDetail), ...adminRefusals, 404: errorEnvelope },
      },
    },
    async (request) => ok(await detailOf(db, await need(db, request.query.id), mostAttempts)),
  );
}

function registerOverview(app: AppServer, routes: TaskRoutes): void {
  const { db, pause } = routes;
  const onRequest = [noStore, routes.guard.requireAdmin("read")];
  const look = makeBoard(routes);
  app.get(
    "/api/admintasks/board",
    {
      onRequest,
      schema: {
        ...described,
        summary: "All that the board shows; 304 for whom it has not changed",
        querystring: noBody,
        response: { 200: envelope(taskBoard), ...adminRefusals },
      },
    },
    async (request, reply) => {
      const board = await look();
      reply.header("etag", board.etag);
      if (isUnchanged(request.headers["if-none-match"], board.etag)) {
        return reply.code(304 as never).send();
      }
      return ok(board.show());
    },
  );
  app.get(
    "/api/admintasks/counts",
    {
      onRequest,
      schema: {
        ...described,
        summary: "How many tasks wait, are worked on, and need a review",
        querystring: noBody,
        response: { 200: envelope(taskCounts), ...adminRefusals },
      },
    },
    async () => {
      const [counts, paused] = await Promise.all([countTasks(db), pause.get()]);
      return ok({ ...counts, paused });
    },
  );
}

function registerCreating(app: AppServer, routes: TaskRoutes): void {
  app.post(
    "/api/admintasks/create",
    {
      onRequest: [noStore, routes.guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Queue a task; without a title its instruction's first words are it",
        body: taskCreate,
        response: { 201: envelope(task), ...adminRefusals },
      },
    },
    async (request, reply) => {
      const row = await takeIn(routes, request.body, actorOf(request, routes.ownerName));
      wakeRunner(routes, request);
      return reply.code(201).send(ok(await asAnswer(routes, row)));
    },
  );
}

type Change = (deps: TaskRoutes, id: number, by: string) => Promise<TaskRow>;

const changes: Readonly<Record<string, { summary: string; change: Change }>> = {
  cancel: {
    summary: "Stop a task wherever it stands before it is published; one to review is discarded",
    change: cancelTask,
  },
  retry: {
    summary: "Queue a task again that ended without a change, or that waits for a review",
    change: retryTask,
  },
};

function registerChanging(app: AppServer, routes: TaskRoutes): void {
  for (const [name, { summary, change }] of Object.entries(changes)) {
    app.post(
      `/api/admintasks/${name}`,
      {
        onRequest: [noStore, routes.guard.requireAdmin("write")],
        schema: {
          ...described,
          summary,
          body: taskIdBody,
          response: { 200: envelope(task), ...changeRefusals },
        },
      },
      async (request) => {
        const row = await change(routes, request.body.id, actorOf(request, routes.ownerName));
        wakeRunner(routes, request);
        return ok(await asAnswer(routes, row));
      },
    );
  }
}

function registerApproving(app: AppServer, routes: TaskRoutes): void {
  app.post(
    "/api/admintasks/approve",
    {
      onRequest: [noStore, routes.guard.requireAdmin("write")],
      schema: {
        ...described,
        summary:
          "Let what waits for a review go live; the runner publishes it. What shows private text is refused (409, private_text) until just that is confirmed",
        body: approveBody,
        response: { 200: envelope(task), ...changeRefusals },
      },
    },
    async (request) => {
      const { id } = request.body;
      // To be confirmed by a person who was shown it: a token is a program's.
      const isOwner = request.admin?.kind !== "token";
      const confirmPrivate = isOwner ? (request.body.confirmPrivate ?? null) : null;
      const by = actorOf(request, routes.ownerName);
      const row = await approveTask(routes, id, by, confirmPrivate);
      wakeRunner(routes, request);
      return ok(await asAnswer(routes, row));
    },
  );
}

function registerPausing(app: AppServer, routes: TaskRoutes): void {
  for (const [name, paused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    app.post(
      `/api/admintasks/${name}`,
      {
        onRequest: [noStore, routes.guard.requireAdmin("write")],
        schema: {
          ...described,
          summary: paused ? "Let runners take nothing up by themselves" : "Let them begin again",
          body: noBody,
          response: { 200: envelope(queuePause), ...adminRefusals },
        },
      },
      async (request) => {
        await routes.pause.set(paused);
        if (!paused) wakeRunner(routes, request);
        return ok({ paused });
      },
    );
  }
}

/** The task queue over HTTP, for an admin session or a token with the scope. */
export function registerTasks(app: AppServer, routes: TaskRoutes): void {
  registerReading(app, routes);
  registerOverview(app, routes);
  registerCreating(app, routes);
  registerChanging(app, routes);
  registerApproving(app, routes);
  registerPausing(app, routes);
}
