import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { FileCopies } from "../../../platform/storage/file-copies.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { adminErrorResponses, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import { originalsFolder } from "../library/files.ts";
import type { MediaLibrary } from "../library/library.ts";
import { mediaCrop, mediaItem, mediaQuery, mediaReplace } from "../schema.ts";
import { findMedia } from "../store.ts";

interface FileRoutesDependencies {
  db: Db;
  guard: AdminGuard;
  library: MediaLibrary;
  paths: Pick<InstancePaths, "data">;
  copies?: Pick<FileCopies, "fetch"> | null;
}

const described = adminRoute("media");

const changed = {
  200: envelope(mediaItem),
  404: errorEnvelope,
  409: errorEnvelope,
  ...adminErrorResponses,
};

/** Routes that give an item other files, and for the whole image of a cropped one. */
export function addFileRoutes(
  app: AppServer,
  { db, guard, library, paths, copies }: FileRoutesDependencies,
): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.post(
    "/api/media/crop",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Keep a part of an image, or show all of it again",
        body: mediaCrop,
        response: changed,
      },
    },
    async ({ body }) => ok(await library.crop(body.id, body.crop)),
  );
  app.post(
    "/api/media/replace",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Give an image or video the file of another one, which is then gone",
        body: mediaReplace,
        response: changed,
      },
    },
    async ({ body }) => ok(await library.replace(body.id, body.withId)),
  );
  app.get(
    "/api/media/uncropped",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: { ...described, summary: "An image before it was cropped", querystring: mediaQuery },
    },
    async (request, reply) => {
      const { id } = request.query;
      const media = (await findMedia(db, id))?.uncropped?.media;
      if (!media) throw new AppError("not_found", "This image isn't cropped.");
      const file = join(paths.data, originalsFolder, String(id), basename(media.src));
      // Another node may have cropped it a moment ago.
      await copies?.fetch([file]);
      return reply.type(media.mime).send(await readFile(file));
    },
  );
}
