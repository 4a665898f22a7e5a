import { envelope, ok } from "../../../kit/envelope.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-route.ts";
import type { AdminGuard } from "../guard.ts";
import { listLog } from "../store.ts";
import { logPage, logQuery } from "./schema.ts";

/** The attempts to sign in as the admin, newest first. */
export function registerAdminLog(app: AppServer, routes: { guard: AdminGuard; db: Db }): void {
  app.get(
    "/api/adminlog/list",
    {
      onRequest: [noStore, routes.guard.requireAdmin("read")],
      schema: {
        ...adminRoute("admin sign-in"),
        summary: "List attempts to sign in as the admin",
        querystring: logQuery,
        response: { 200: envelope(logPage), ...adminErrorResponses },
      },
    },
    async ({ query }) => {
      const { rows, total } = await listLog(routes.db, query);
      const items = rows.map(({ user_agent: userAgent, ...row }) =>
        Object.assign(row, { userAgent }),
      );
      const { page, perPage } = query;
      return ok({ items, total, page, perPage });
    },
  );
}
