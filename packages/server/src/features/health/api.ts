import { z } from "zod";
import { envelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Health } from "./health.ts";

const status = z.enum(["ok", "degraded", "down"]);
const health = z.object({
  status,
  version: z.string(),
  uptime: z.number().int(),
  checks: z.record(z.string(), z.object({ status, note: z.string().optional() })),
});

/** What `GET /api/health` answers with. */
export const healthResponse = envelope(health);

/** Registers `GET /api/health`: 200 while the service works, even partly, 503 when it is down. */
export function registerHealthApi(app: AppServer, run: () => Promise<Health>): void {
  const bodies = new WeakMap<Health, string>();
  app.get(
    "/api/health",
    {
      schema: {
        summary: "Health of the service and its components",
        tags: ["health"],
        querystring: z.strictObject({}),
        response: { 200: healthResponse, 503: healthResponse },
      },
    },
    async (_request, reply) => {
      const found = await run();
      // One check serves many responses; plain text bypasses the serializer.
      const body = bodies.get(found) ?? JSON.stringify(healthResponse.parse(ok(found)));
      bodies.set(found, body);
      return reply
        .code(found.status === "down" ? 503 : 200)
        .header("cache-control", "no-store")
        .type("application/json; charset=utf-8")
        .send(body as never);
    },
  );
}
