import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import { exportQuery, jsonReport } from "./schema.ts";
import { listFindingsForExport } from "./export.ts";
import { formats } from "vitrine-qa/src/report/formats.ts";

export interface ExportRoutesDependencies {
  guard: Pick<AdminGuard, "requireAdmin">;
  db: Db;
  clock: Clock;
  /** The site named as the origin of an export. */
  site: { baseUrl: string; version: string };
}

/** The findings as a file. */
export function registerExport(app: AppServer, deps: ExportRoutesDependencies): void {
  const { db, clock } = deps;
  app.get(
    "/api/adminqa/export",
    {
      onRequest: [noStore, deps.guard.requireAdmin("read")],
      schema: {
        ...adminRoute("qa"),
        summary: "Download findings as JSON, SARIF 2.1.0, JUnit, CSV (RFC 4180) or an HTML page",
        querystring: exportQuery,
        // A plain file without the envelope, because other programs read it directly.
        response: { 200: z.union([jsonReport, z.string()]), ...adminErrorResponses },
      },
    },
    async (request, reply) => {
      const { format, status } = request.query;
      const at = isoTime(clock.now());
      const { type, ending, write } = formats[format];
      const text = write({
        site: deps.site.baseUrl,
        at,
        tool: { name: "Vitrine", version: deps.site.version },
        stats: null,
        isComplete: true,
        skippedChecks: [],
        baselineCount: 0,
        findings: await listFindingsForExport(db, status),
      });
      const name = `findings-${at.slice(0, 10)}.${ending}`;
      reply.header("content-disposition", `attachment; filename="${name}"`);
      return reply.type(type).send(text);
    },
  );
}
