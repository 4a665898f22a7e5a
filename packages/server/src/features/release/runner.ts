import { envelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { recordBytes } from "../projects/schema.ts";
import { previewAddress } from "./preview-address.ts";
import type { Rebuilder } from "./rebuild.ts";
import type { RecordPreviews } from "./record-preview.ts";
import { rebuildBody, rebuildState, recordPreview, recordPreviewBody } from "./schema.ts";

const described = { tags: ["console"], security: [{ session: [] }] };

/** `guardRunner` checks authorization before this route. */
export function registerRebuild(
  app: AppServer,
  { rebuilder }: { rebuilder: Pick<Rebuilder, "request" | "state"> },
): void {
  app.get(
    "/devconsole/rebuild",
    {
      schema: {
        ...described,
        summary: "Whether the public site is up to date with the records",
        response: { 200: envelope(rebuildState) },
      },
    },
    async () => ok(await rebuilder.state()),
  );
  app.post(
    "/devconsole/rebuild",
    {
      schema: {
        ...described,
        summary: "Rebuild the site from the current records",
        body: rebuildBody.nullish(),
        response: { 202: envelope(rebuildState) },
      },
    },
    async ({ body }, reply) => {
      await rebuilder.request("rebuilt by hand", body?.confirmPrivate ?? null);
      return reply.code(202).send(ok(await rebuilder.state()));
    },
  );
}

/** `guardRunner` checks authorization before this route. */
export function registerRecordPreviews(
  app: AppServer,
  { recordPreviews }: { recordPreviews: Pick<RecordPreviews, "make" | "makeUnsaved"> },
): void {
  app.post(
    "/devconsole/preview",
    {
      bodyLimit: recordBytes,
      schema: {
        ...described,
        summary: "Build a private preview that shows one record as if it were published",
        body: recordPreviewBody,
        response: { 201: envelope(recordPreview) },
      },
    },
    async (request, reply) => {
      const { projectId = 0, project } = request.body;
      const { id, path } = await (project === undefined
        ? recordPreviews.make(projectId)
        : recordPreviews.makeUnsaved(project));
      return reply.code(201).send(ok({ previewUrl: previewAddress(id), path }));
    },
  );
}
