import { z } from "zod";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { respondEarly } from "../media/upload/early-response.ts";
import {
  discardedImport,
  importChoicesBody,
  importIdBody,
  importIdQuery,
  importView,
} from "./schema.ts";
import type { ImportUploads } from "./upload/import-uploads.ts";

export interface ImportRoutes {
  guard: AdminGuard;
  uploads: ImportUploads;
}

const described = adminRoute("import");
const response = {
  200: envelope(importView),
  ...adminErrorResponses,
  404: errorEnvelope,
  409: errorEnvelope,
};

/** Only for the API description: the archive is checked as it arrives. */
const archive = z.unknown().meta({ type: "string", format: "binary" });

/** POST /api/import/upload, in its own scope because no other route accepts such bodies. */
function addUploadRoute(app: AppServer, { guard, uploads }: ImportRoutes): void {
  app.addHook("onSend", respondEarly);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.post(
    "/api/import/upload",
    {
      config: { slowBody: true },
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Upload a folder as a ZIP archive and get the import plan",
        consumes: ["application/zip"],
        body: archive,
        response: {
          201: envelope(importView),
          ...adminErrorResponses,
          409: errorEnvelope,
          413: errorEnvelope,
          415: errorEnvelope,
        },
      },
    },
    async (request, reply) => {
      if (!/^application\/(?:x-)?zip\b/i.test(request.headers["content-type"] ?? "")) {
        throw new AppError("unsupported_media_type", "Send the folder as application/zip.");
      }
      const declared = Number(request.headers["content-length"] ?? 0);
      return reply.code(201).send(ok(await uploads.add(request.raw, declared)));
    },
  );
}

/** Imports of folders that the owner uploads: plan, selection, and import. */
export function registerImport(app: AppServer, routes: ImportRoutes): void {
  const { guard, uploads } = routes;
  void app.register(async (scope) => addUploadRoute(scope as unknown as AppServer, routes));
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.get(
    "/api/import/get",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "Get an import's progress and results",
        querystring: importIdQuery,
        response,
      },
    },
    async ({ query }) => ok(await uploads.find(query.id)),
  );
  app.post(
    "/api/import/plan",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get the import plan for these case studies, without changing anything",
        body: importChoicesBody,
        response,
      },
    },
    async ({ body: { id, ...choices } }) => ok(await uploads.plan(id, choices)),
  );
  app.post(
    "/api/import/start",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Import these case studies, as drafts by default",
        body: importChoicesBody,
        response: { ...response, 202: envelope(importView) },
      },
    },
    async ({ body: { id, ...choices } }, reply) =>
      reply.code(202).send(ok(await uploads.start(id, choices))),
  );
  addDiscardRoute(app, routes);
}

function addDiscardRoute(app: AppServer, { guard, uploads }: ImportRoutes): void {
  app.post(
    "/api/import/discard",
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Delete an uploaded folder",
        body: importIdBody,
        response: { ...response, 200: envelope(discardedImport) },
      },
    },
    async ({ body: { id } }) => {
      await uploads.discard(id);
      return ok({ id });
    },
  );
}
