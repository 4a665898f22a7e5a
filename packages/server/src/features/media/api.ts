import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { envelope, errorEnvelope, ok, paginate } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { FileCopies } from "../../platform/storage/file-copies.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { addFileRoutes } from "./routes/files.ts";
import { sendStoredFile } from "./stored-file.ts";
import { type UploadQueue, makeUploadQueue } from "./upload/upload-queue.ts";
import type { UploadLimits } from "./upload/inspection.ts";
import { type Jobs, makeJobs } from "./upload/jobs.ts";
import { usualImageWorkers } from "./image/workers.ts";
import type { VideoConverter } from "./video/video-converter.ts";
import type { MediaLibrary } from "./library/library.ts";
import { addUploadRoute, type FormUploads } from "./upload/receive-route.ts";
import { makeUploadPlaces } from "./upload/upload-places.ts";
import {
  cancelledJob,
  deletedMedia,
  describedMedia,
  job,
  jobList,
  fileParams,
  jobParams,
  jobQuery,
  listedMedia,
  mediaDelete,
  mediaDescriptions,
  mediaItem,
  mediaList,
  mediaListQuery,
  mediaQuery,
  mediaUpdate,
} from "./schema.ts";
import { findMedia, listMedia, usesOfMedia } from "./store.ts";
import { addReferenceRoutes } from "./reference/reference-routes.ts";
import type { References } from "./reference/references.ts";
import { addResumableRoutes } from "./upload/tus-routes.ts";
import type { SharedUploadsOptions } from "./upload/shared-uploads.ts";
import { makeTus, type Tus } from "./upload/tus.ts";
import { type DiskQuota, unlimitedDisk } from "../../platform/disk-quota.ts";

export interface MediaRoutes {
  db: Db;
  clock: Clock;
  log: Log;
  guard: AdminGuard;
  library: MediaLibrary;
  references: References;
  limits: Limits["media"];
  /** The video converter; asked whether videos can be accepted. */
  videos: Pick<VideoConverter, "state">;
  paths: InstancePaths;
  /** How much disk space uploads may use; without, as much as there is. */
  quota?: DiskQuota;
  /** How other nodes can continue uploads; null or none if the instance is on one disk. */
  shared?: SharedUploadsOptions | null;
  /** How this node gets files that another one has stored; null or none if the instance is on one disk. */
  copies?: Pick<FileCopies, "fetch"> | null;
}

interface MediaApiDependencies extends MediaRoutes {
  limits: Limits["media"] & UploadLimits;
  jobs: Jobs;
  uploadQueue: UploadQueue;
}

const described = adminRoute("media");
const missing = "This file doesn't exist.";
const missingUpload = "This upload doesn't exist, or was removed because it's too old.";

function registerReading(app: AppServer, { db, guard }: MediaApiDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("read")];
  app.get(
    "/api/media/list",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List images and videos; by default, newest first",
        querystring: mediaListQuery,
        response: { 200: envelope(mediaList), ...adminErrorResponses },
      },
    },
    async (request) => {
      const { page, perPage, q, kind, alt, sort } = request.query;
      const slice = { limit: perPage, offset: (page - 1) * perPage };
      const isAltMissing = alt === "missing";
      const { items, total } = await listMedia(db, { ...slice, q, kind, isAltMissing, sort });
      const ids = items.map(({ id }) => id);
      const uses = await usesOfMedia(db, ids);
      const listed = items.map((item) => Object.assign(item, { usedBy: uses.get(item.id) ?? [] }));
      return ok({ items: listed, total, page, perPage });
    },
  );
  app.get(
    "/api/media/get",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get an image or video",
        querystring: mediaQuery,
        response: { 200: envelope(listedMedia), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => {
      const { id } = request.query;
      const found = await findMedia(db, id);
      if (!found) throw new AppError("not_found", missing);
      return ok({ ...found, usedBy: (await usesOfMedia(db, [id])).get(id) ?? [] });
    },
  );
}

function registerChanging(app: AppServer, { guard, library }: MediaApiDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.post(
    "/api/media/update",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Update an image's name, alt text, or focal point",
        body: mediaUpdate,
        response: { 200: envelope(mediaItem), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => ok(await library.update(request.body)),
  );
  app.post(
    "/api/media/describe",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Describe several images: all of them, or none if one doesn't exist",
        body: mediaDescriptions,
        response: { 200: envelope(describedMedia), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => ok({ items: await library.describe(request.body.items) }),
  );
  app.post(
    "/api/media/delete",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Delete an image or video that nothing uses",
        body: mediaDelete,
        response: {
          200: envelope(deletedMedia),
          404: errorEnvelope,
          409: errorEnvelope,
          ...adminErrorResponses,
        },
      },
    },
    async (request) => {
      const { id } = request.body;
      await library.remove(id);
      return ok({ id, deleted: true as const });
    },
  );
}

function registerJobs(app: AppServer, { guard }: MediaApiDependencies, tus: Tus): void {
  const onRequest = [noStore, guard.requireAdmin("read")];
  app.get(
    "/api/media/jobs",
    {
      onRequest,
      schema: {
        ...described,
        summary: "The status of the latest uploads, newest first",
        querystring: jobQuery,
        response: { 200: envelope(jobList), ...adminErrorResponses },
      },
    },
    async ({ query }) => ok(paginate(await tus.listJobs(), query)),
  );
  app.get(
    "/api/media/jobs/:id",
    {
      onRequest,
      schema: {
        ...described,
        summary: "The status of an upload",
        params: jobParams,
        response: { 200: envelope(job), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => {
      const found = await tus.findJob(request.params.id);
      if (!found) throw new AppError("not_found", missingUpload);
      return ok(found);
    },
  );
}

/** Cancels an upload, in whichever way its file has come. */
function registerCancel(
  app: AppServer,
  { guard }: MediaApiDependencies,
  forms: () => FormUploads | undefined,
  tus: Tus,
): void {
  app.post(
    "/api/media/jobs/:id/cancel",
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Cancel an upload that is being received or processed",
        params: jobParams,
        response: {
          200: envelope(cancelledJob),
          404: errorEnvelope,
          409: errorEnvelope,
          ...adminErrorResponses,
        },
      },
    },
    async (request) => {
      const { id } = request.params;
      const ended = await Promise.all([forms()?.cancel(id) ?? false, tus.cancel(id)]);
      if ((await tus.findJob(id))?.status === "done") {
        throw new AppError("invalid_state", "The file is already stored. Delete it instead.");
      }
      if (!ended.includes(true)) throw new AppError("not_found", missingUpload);
      return ok({ id, cancelled: true as const });
    },
  );
}

/**
 * All media routes: single-request and resumable uploads, their status, the list, changes, and the
 * files. Admin only. Once the server is ready, unfinished uploads are resumed; call
 * `library.recover` before that.
 */
export function registerMedia(app: AppServer, routes: MediaRoutes): void {
  const jobs = makeJobs(routes);
  const uploadQueue = makeUploadQueue({ ...routes, jobs });
  const videoUnavailableReason = () =>
    routes.videos.state.available ? null : routes.videos.state.reason;
  const limits = { ...routes.limits, videoUnavailableReason };
  const { quota = unlimitedDisk } = routes;
  const deps = { ...routes, limits, jobs, uploadQueue, quota };
  const tus = makeTus(deps);
  registerReading(app, deps);
  registerChanging(app, deps);
  addFileRoutes(app, deps);
  registerJobs(app, deps, tus);
  const onRequest = [noStore, routes.guard.requireAdmin("write")];
  const { queue } = routes.limits;
  const places = makeUploadPlaces({ image: queue + usualImageWorkers, video: queue + 1 });
  let forms: FormUploads | undefined;
  void app.register(async (scope) => {
    forms = addUploadRoute(scope, { ...deps, places, onRequest });
  });
  registerCancel(app, deps, () => forms, tus);
  void app.register(async (scope) => addResumableRoutes(scope, { tus, onRequest }));
  const onRead = [noStore, routes.guard.requireAdmin("read")];
  addReferenceRoutes(app, { ...routes, onRead, onWrite: onRequest });
  const root = join(routes.paths.content, "app/public/media");
  const { copies = null } = routes;
  app.route({
    method: ["GET", "HEAD"],
    url: "/api/media/file/:year/:name",
    onRequest: routes.guard.requireAdmin("read"),
    schema: { ...described, summary: "A stored file, whole or in part", params: fileParams },
    handler: (request, reply) => sendStoredFile({ root, copies }, request, reply),
  });
  app.addHook("onReady", () => tus.restore());
  app.addHook("onClose", () => tus.close());
}
