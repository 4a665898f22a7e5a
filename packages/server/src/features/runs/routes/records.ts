import { envelope, ok } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Runs } from "../runs.ts";
import { resolveRecordBody, runIdParams, runRecordChanges } from "../schema.ts";
import { consoleRoute } from "./route-schema.ts";

/** Routes for runs' record changes. */
export function registerRunRecords(app: AppServer, { runs }: { runs: Runs }): void {
  app.get(
    "/devconsole/runs/:id/records",
    {
      schema: {
        ...consoleRoute,
        summary: "A run's changes to project records, field by field, next to their current values",
        params: runIdParams,
        response: { 200: envelope(runRecordChanges) },
      },
    },
    async (request) => ok({ changes: await runs.listRecordChanges(request.params.id) }),
  );
  app.post(
    "/devconsole/records/resolve",
    {
      schema: {
        ...consoleRoute,
        summary:
          "Resolve a conflict between a ready run's change and a newer version of the record; the next publish rebuilds the site with your choice",
        body: resolveRecordBody,
        response: { 200: envelope(runRecordChanges) },
      },
    },
    async (request) => ok({ changes: await runs.resolveRecord(request.body) }),
  );
}
