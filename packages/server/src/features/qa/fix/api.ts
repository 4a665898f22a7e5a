import type { FastifyRequest } from "fastify";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminRefusals, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import { tasksOf } from "../../tasks/board/record.ts";
import { fixAnswer, fixBody } from "../schema.ts";
import { fixFinding } from "./fix.ts";

export interface FixRoutes {
  guard: Pick<AdminGuard, "requireAdmin">;
  db: Db;
  clock: Clock;
  ownerName: string;
  /** How often a task is begun at most. */
  mostAttempts: number;
  /** Tells the runner that there is something to look at; nobody waits for it. */
  wake(): void;
}

/** Who asks: a token by its name, a session is the owner's. */
export function actorOf({ admin }: FastifyRequest, ownerName: string): string {
  return admin?.kind === "token" ? admin.name : ownerName;
}

/** What is done is done: a runner that can't be told looks by itself. */
function wakeRunner({ wake }: FixRoutes, request: FastifyRequest): void {
  try {
    wake();
  } catch (error) {
    request.log.warn({ err: error }, "the runner can't be woken");
  }
}

/** Giving a finding to the queue. */
export function registerFixing(app: AppServer, routes: FixRoutes): void {
  const { db, mostAttempts } = routes;
  const answer = envelope(fixAnswer);
  app.post(
    "/api/adminqa/fix",
    {
      onRequest: [noStore, routes.guard.requireAdmin("write")],
      schema: {
        ...adminRoute("qa"),
        summary: "Give a finding to the queue; 200 with the task that has it already",
        body: fixBody,
        response: {
          200: answer,
          201: answer,
          ...adminRefusals,
          404: errorEnvelope,
          409: errorEnvelope,
        },
      },
    },
    async (request, reply) => {
      const { findingId, instruction } = request.body;
      const by = actorOf(request, routes.ownerName);
      const asked = { findingId, instruction: instruction ?? null, by };
      const { task, created } = await fixFinding(routes, asked);
      wakeRunner(routes, request);
      const [told] = await tasksOf(db, [task], mostAttempts);
      if (!told) throw new Error("A task without its record.");
      return reply.code(created ? 201 : 200).send(ok(told));
    },
  );
}
