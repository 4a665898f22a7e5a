import { envelope, ok } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { inlineAnswer, inlineEditsBody, inlineTarget } from "../../agent/inline/schema.ts";
import type { Runs } from "../runs.ts";
import { runStarted } from "../schema.ts";
import { consoleRoute } from "./route-schema.ts";

/** Routes for the owner's inline edits. */
export function registerInlineEdits(app: AppServer, { runs }: { runs: Runs }): void {
  app.post(
    "/devconsole/edits",
    {
      schema: {
        ...consoleRoute,
        summary: "Start a run with edits made on the page, all or none, without a model",
        body: inlineEditsBody,
        response: { 202: envelope(runStarted) },
      },
    },
    async ({ body }, reply) => reply.code(202).send(ok(await runs.startInlineEdits(body.edits))),
  );
  app.post(
    "/devconsole/edits/locate",
    {
      schema: {
        ...consoleRoute,
        summary: "Find where a text or an image of a page can be edited, or why it can't",
        body: inlineTarget,
        response: { 200: envelope(inlineAnswer) },
      },
    },
    async ({ body }) => ok(await runs.locateInline(body)),
  );
}
