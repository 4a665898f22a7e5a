import { envelope, ok } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Runs } from "../runs.ts";
import { resolveRecordBody, runIdParams, runRecordChanges } from "../schema.ts";
import { consoleRoute } from "./route-schema.ts";

/** The routes about what runs change of the records. */
export function registerRunRecords(app: AppServer, { runs }: { runs: Runs }): void {
  app.get(
    "/devconsole/runs/:id/records",
    {
      schema: {
        ...consoleRoute,
        summary: "What a run changes of project records, field by field, beside what they say now",
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
          "Decide between a ready run's change of a record and what the record says by now; the next publish builds the site again with it",
        body: resolveRecordBody,
        response: { 200: envelope(runRecordChanges) },
      },
    },
    async (request) => ok({ changes: await runs.resolveRecord(request.body) }),
  );
}
