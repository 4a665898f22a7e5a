import { randomBytes } from "node:crypto";
import { join } from "node:path";
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import { newUlid, ulidPattern } from "../../../kit/ulid.ts";
import type { DiskQuota } from "../../../platform/disk-quota.ts";
import { removeTree } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { adminErrorResponses, adminRoute } from "../../admin-auth/admin-route.ts";
import { maxBytesFor } from "../media-size.ts";
import type { UploadQueue, UploadResult } from "./upload-queue.ts";
import type { Jobs } from "./jobs.ts";
import { respondEarly } from "./early-response.ts";
import { multipartOptions, receiveForm } from "./receive.ts";
import type { UploadLimits } from "./inspection.ts";
import type { UploadPlaces } from "./upload-places.ts";
import { altLength, type MediaKind, nameLength, uploadedMedia } from "../schema.ts";

export interface UploadRoute {
  paths: Pick<InstancePaths, "uploads">;
  limits: UploadLimits;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  uploadQueue: UploadQueue;
  places: UploadPlaces;
  quota: DiskQuota;
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

/** The ID that a client has chosen, with which it can cancel the upload before it has an answer. */
function chosenId(header: string | string[] | undefined, jobs: Jobs): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && ulidPattern.test(header) && !jobs.isRunning(header)) {
    return header;
  }
  const message = "Upload-Id must be a ULID that no other running upload has.";
  throw new AppError("bad_request", message, { fields: { "upload-id": message } });
}

const cancelledError = () => new AppError("conflict", "The upload was cancelled.");

/** What can be done about the uploads that one route receives. */
export interface FormUploads {
  /** Ends a running upload, which keeps nothing unless it is stored already; false if there's none. */
  cancel(id: string): Promise<boolean>;
}

interface RunningUploads extends FormUploads {
  /** Registers an upload; `end` has to follow. */
  start(id: string): { signal: AbortSignal; end(): void };
}

function makeRunningUploads(): RunningUploads {
  const running = new Map<string, { controller: AbortController; ended: Promise<void> }>();
  return {
    start(id) {
      const controller = new AbortController();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      running.set(id, { controller, ended });
      return {
        signal: controller.signal,
        end() {
          running.delete(id);
          resolve();
        },
      };
    },
    async cancel(id) {
      const found = running.get(id);
      found?.controller.abort(cancelledError());
      await found?.ended;
      return found !== undefined;
    },
  };
}

/** Receives a form's file and stores it in the library. */
async function takeForm(
  { uploadQueue, jobs, places, quota, log, paths, limits }: UploadRoute,
  request: FastifyRequest,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<UploadResult> {
  const length = Number(request.headers["content-length"]);
  // Without a length, it may be as long as the longest file.
  await quota.assertRoom(length > 0 ? length : maxBytesFor(limits, null));
  const folder = join(paths.uploads, `form-${id}-${randomBytes(6).toString("hex")}`);
  let free = () => {};
  const admit = (kind: MediaKind) => {
    free = places.take(kind);
  };
  try {
    const received = await receiveForm(request, {
      folder,
      limits: { ...limits, admit },
      signal,
      onReceived: (bytes) => jobs.received(id, length > 0 ? bytes / length : null),
    });
    return await uploadQueue.add(id, received, { signal });
  } finally {
    free();
    await removeTree(folder).catch((error: unknown) => {
      log.error(
        { err: error },
        "an upload's folder couldn't be removed; the next start removes it",
      );
    });
  }
}

/**
 * POST /api/media/upload, in its own scope, because no other route accepts such bodies. If the
 * client leaves before the end, nothing is kept; once everything has arrived, it is processed even
 * if the client leaves, unless it is cancelled.
 */
export function addUploadRoute(app: FastifyInstance, route: UploadRoute): FormUploads {
  const { clock, jobs, onRequest } = route;
  const running = makeRunningUploads();
  acceptForms(app);
  app.post(
    "/api/media/upload",
    { config: { slowBody: true }, onRequest, schema },
    async (request, reply) => {
      const id = chosenId(request.headers["upload-id"], jobs) ?? newUlid(clock.now());
      const { signal, end } = running.start(id);
      jobs.start(id);
      try {
        const { media, created } = await takeForm(route, request, { id, signal });
        return reply.code(created ? 201 : 200).send(ok(media));
      } catch (error) {
        jobs.failed(id, error);
        // Nobody is left to ask for it.
        const isGone = request.raw.destroyed && !request.raw.readableEnded;
        if (isGone || signal.aborted) jobs.delete(id);
        throw error;
      } finally {
        end();
      }
    },
  );
  return running;
}
