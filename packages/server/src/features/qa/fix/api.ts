import type { FastifyRequest } from "fastify";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import { serializeTasks } from "../../tasks/board/serialize-task.ts";
import { fixResponse, fixBody } from "../schema.ts";
import { type FixDependencies, fixFinding } from "./fix.ts";

export interface FixRoutesDependencies extends FixDependencies {
  guard: Pick<AdminGuard, "requireAdmin">;
  ownerName: string;
  /** Maximum attempts of a task. */
  maxAttempts: number;
  /** Wakes the runner, without waiting. */
  wake(): void;
}

/** The caller: a token by its name, a session as the owner. */
export function actorOf({ admin }: FastifyRequest, ownerName: string): string {
  return admin?.kind === "token" ? admin.name : ownerName;
}

/** The task is stored: a runner that can't be woken finds it by itself. */
function wakeRunner({ wake }: FixRoutesDependencies, request: FastifyRequest): void {
  try {
    wake();
  } catch (error) {
    request.log.warn({ err: error }, "the runner can't be woken");
  }
}

/** Adds findings to the queue. */
export function registerFix(app: AppServer, deps: FixRoutesDependencies): void {
  const { db, maxAttempts } = deps;
  const response = envelope(fixResponse);
  app.post(
    "/api/adminqa/fix",
    {
      onRequest: [noStore, deps.guard.requireAdmin("write")],
      schema: {
        ...adminRoute("qa"),
        summary:
          "Queue a fix for a finding; 200 with the task that already has it, 503 `model_not_configured` if it needs a model",
        body: fixBody,
        response: {
          200: response,
          201: response,
          ...adminErrorResponses,
          404: errorEnvelope,
          409: errorEnvelope,
          503: errorEnvelope,
        },
      },
    },
    async (request, reply) => {
      const { findingId, instruction } = request.body;
      const by = actorOf(request, deps.ownerName);
      const fixRequest = { findingId, instruction: instruction ?? null, by };
      const { task, created, isNoteFollowed } = await fixFinding(deps, fixRequest);
      wakeRunner(deps, request);
      const [answer] = await serializeTasks(db, [task], maxAttempts);
      if (!answer) throw new Error("A task without its record.");
      return reply.code(created ? 201 : 200).send(ok({ ...answer, isNoteFollowed }));
    },
  );
}
