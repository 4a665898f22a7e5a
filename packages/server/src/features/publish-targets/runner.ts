import type { AppServer } from "../../platform/http/server.ts";
import type { Deliveries } from "./deliveries.ts";

/** Lets web report that a delivery may be due. `guardRunner` checks authorization before this route. */
export function registerDeliveries(
  app: AppServer,
  { deliveries }: { deliveries: Pick<Deliveries, "wake"> },
): void {
  app.post("/internal/deliveries/wake", { schema: { hide: true } }, async (_request, reply) => {
    deliveries.wake();
    return reply.code(204).send();
  });
}
