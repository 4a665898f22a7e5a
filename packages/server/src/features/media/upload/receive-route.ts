import { randomBytes } from "node:crypto";
import { join } from "node:path";
import multipart from "@fastify/multipart";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { newUlid } from "../../../kit/ulid.ts";
import { removeTree } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { adminErrorResponses, adminRoute } from "../../admin-auth/admin-route.ts";
import type { UploadQueue, UploadResult } from "./upload-queue.ts";
import type { Jobs } from "./jobs.ts";
import { respondEarly } from "./early-response.ts";
import { multipartOptions, receiveForm, type ReceiveOptions } from "./receive.ts";
import type { UploadLimits } from "./inspection.ts";
import { altLength, nameLength, uploadedMedia } from "../schema.ts";

export interface UploadRoute {
  paths: Pick<InstancePaths, "uploads">;
  limits: UploadLimits;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  uploadQueue: UploadQueue;
  /** Authorizes the sender before any byte of the body is read. */
  onRequest: onRequestAsyncHookHandler[];
}

/** Only for the API description: the form is validated while it is received. */
const form = z.unknown().meta({
  type: "object",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: { type: "string", format: "binary" },
    alt: { type: "string", maxLength: altLength },
    name: { type: "string", maxLength: nameLength },
  },
});

const schema = {
  ...adminRoute("media"),
  summary: "Upload an image or video: multipart/form-data with file, alt and name",
  consumes: ["multipart/form-data"],
  body: form,
  response: {
    200: envelope(uploadedMedia),
    201: envelope(uploadedMedia),
    400: errorEnvelope,
    ...adminErrorResponses,
    413: errorEnvelope,
    415: errorEnvelope,
    503: errorEnvelope,
  },
};

/** Makes a scope accept only forms, which its routes read themselves. */
export function acceptForms(app: FastifyInstance): void {
  void app.register(multipart, multipartOptions);
  app.addHook("onSend", respondEarly);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/**
 * POST /api/media/upload, in its own scope, because no other route accepts such bodies. If the
 * client leaves before the end, nothing is kept; once everything has arrived, it is processed even
 * if the client leaves.
 */
export function addUploadRoute(app: FastifyInstance, route: UploadRoute): void {
  const { clock, uploadQueue, jobs, limits, log, paths, onRequest } = route;

  async function take(
    id: string,
    receive: (receiving: ReceiveOptions) => ReturnType<typeof receiveForm>,
    length: number,
  ): Promise<UploadResult> {
    const folder = join(paths.uploads, `form-${id}-${randomBytes(6).toString("hex")}`);
    const onReceived = (bytes: number) => jobs.received(id, length > 0 ? bytes / length : null);
    try {
      return await uploadQueue.add(id, await receive({ folder, limits, onReceived }));
    } finally {
      await removeTree(folder).catch((error: unknown) => {
        log.error({ err: error }, "an upload's folder is left until the next start");
      });
    }
  }

  acceptForms(app);
  app.post(
    "/api/media/upload",
    { config: { slowBody: true }, onRequest, schema },
    async (request, reply) => {
      const id = newUlid(clock.now());
      const length = Number(request.headers["content-length"]);
      jobs.start(id);
      try {
        const { media, created } = await take(id, (to) => receiveForm(request, to), length);
        return reply.code(created ? 201 : 200).send(ok(media));
      } catch (error) {
        jobs.failed(id, error);
        // Nobody is left to ask for it.
        if (request.raw.destroyed && !request.raw.readableEnded) jobs.delete(id);
        throw error;
      }
    },
  );
}
