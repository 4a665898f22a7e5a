import { envelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { type OverviewDependencies, readOverview } from "./overview.ts";
import { overview } from "./schema.ts";

/**
 * What needs the owner, what is new, and what it cost. Only opening /admin counts as a visit, this
 * route doesn't.
 */
export function registerOverview(
  app: AppServer,
  { guard, ...deps }: OverviewDependencies & { guard: AdminGuard },
): void {
  app.get(
    "/api/adminoverview/get",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...adminRoute("overview"),
        summary:
          "What needs the owner's attention, what happened since their last visit, and what it cost",
        response: { 200: envelope(overview), ...adminErrorResponses },
      },
    },
    async () => ok(await readOverview(deps, { isVisit: false })),
  );
}
