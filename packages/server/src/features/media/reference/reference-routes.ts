import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { z } from "zod";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { removeTree } from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { adminErrorResponses, adminRoute } from "../../admin-auth/admin-route.ts";
import { nameLength, referenceImage, referenceParams } from "../schema.ts";
import { acceptForms } from "../upload/receive-route.ts";
import { receiveForm } from "../upload/receive.ts";
import { fileOfReference } from "./reference-file.ts";
import { requireReference, type References } from "./references.ts";

export interface ReferenceRoutes {
  db: Db;
  /** Hooks that authorize viewing and uploading. */
  onRead: onRequestAsyncHookHandler[];
  onWrite: onRequestAsyncHookHandler[];
  paths: Pick<InstancePaths, "uploads" | "references">;
  limits: Limits["media"];
  references: References;
}

const described = adminRoute("media");

/** Only for the API description: the form is validated while it is received. */
const form = z.unknown().meta({
  type: "object",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: { type: "string", format: "binary" },
    name: { type: "string", maxLength: nameLength },
  },
});

const schema = {
  ...described,
  summary: "Upload a reference image for agents; it never becomes part of the site",
  consumes: ["multipart/form-data"],
  body: form,
  response: {
    201: envelope(referenceImage),
    400: errorEnvelope,
    ...adminErrorResponses,
    413: errorEnvelope,
    415: errorEnvelope,
    503: errorEnvelope,
  },
};

/** POST /api/media/reference, in its own scope, because no other route accepts such bodies. */
function addReferenceUpload(app: FastifyInstance, route: ReferenceRoutes): void {
  const { onWrite, paths, references } = route;
  const noVideos = "Agents can’t view videos. Attach an image instead.";
  const limits = { ...route.limits, videoUnavailableReason: () => noVideos };
  acceptForms(app);
  app.post(
    "/api/media/reference",
    {
      config: { slowBody: true },
      onRequest: onWrite,
      schema,
    },
    async (request, reply) => {
      const folder = join(paths.uploads, `reference-form-${randomBytes(6).toString("hex")}`);
      try {
        const received = await receiveForm(request, { folder, limits });
        return reply.code(201).send(ok(await references.take(received)));
      } finally {
        await removeTree(folder);
      }
    },
  );
}

/** Routes for uploading references and showing them to the admin. */
export function addReferenceRoutes(app: FastifyInstance, route: ReferenceRoutes): void {
  const { db, onRead, paths } = route;
  void app.register(async (scope) => addReferenceUpload(scope, route));
  app.get<{ Params: { id: string } }>(
    "/api/media/reference/:id",
    {
      onRequest: onRead,
      schema: { ...described, summary: "Get a reference image", params: referenceParams },
    },
    async (request, reply) => {
      const row = await requireReference(db, request.params.id);
      const stream = createReadStream(fileOfReference(paths, row));
      const [failure] = await new Promise<[Error?]>((resolve) => {
        stream.once("ready", () => resolve([])).once("error", (error) => resolve([error]));
      });
      if (failure) {
        const message = "This image is no longer stored.";
        throw new AppError("not_found", message, { cause: failure });
      }
      return reply.type(row.mime).header("content-length", row.bytes).send(stream);
    },
  );
}
