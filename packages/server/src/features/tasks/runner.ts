import { envelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { QueuePause } from "./pause.ts";
import { workerStarted, noBody } from "./schema.ts";

export interface TaskWorkerRoutesDependencies {
  worker: {
    /**
     * Starts running tasks, even while the queue is paused or tasks wait for a retry; returns what
     * it starts with.
     */
    run(): Promise<{ queued: number; running: number }>;
    wake(): void;
  };
  pause: Pick<QueuePause, "get">;
}

/**
 * The queue's routes on the runner. `guardRunner` checks authorization before any of these routes;
 * only the web process calls `/internal/tasks/wake`, with the instance's key.
 */
export function registerTaskWorker(app: AppServer, deps: TaskWorkerRoutesDependencies): void {
  app.post(
    "/devconsole/tasks/run",
    {
      schema: {
        tags: ["console"],
        security: [{ session: [] }],
        summary: "Run the queued tasks once, even while the queue is paused",
        body: noBody.nullish(),
        response: { 202: envelope(workerStarted) },
      },
    },
    async (_request, reply) => {
      const paused = await deps.pause.get();
      return reply.code(202).send(ok({ ...(await deps.worker.run()), paused }));
    },
  );
  app.post("/internal/tasks/wake", { schema: { hide: true } }, async (_request, reply) => {
    deps.worker.wake();
    return reply.code(204).send();
  });
}
