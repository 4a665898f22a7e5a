import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { AppError } from "../../../kit/errors.ts";
import { adminRoute } from "../../admin-auth/admin-route.ts";
import { respondEarly } from "./early-response.ts";
import { type Tus, uploadsPath } from "./tus.ts";

const bodyType = "application/offset+octet-stream";

const protocol: onRequestAsyncHookHandler = async (_request, reply) => {
  reply.headers({ "tus-resumable": "1.0.0", "tus-version": "1.0.0" });
};

/** Routes for resumable uploads, in their own scope, because no other route accepts such bodies. */
export function addResumableRoutes(
  app: FastifyInstance,
  route: { tus: Tus; onRequest: onRequestAsyncHookHandler[] },
): void {
  const options = {
    config: { slowBody: true },
    onRequest: [protocol, ...route.onRequest],
    handler: route.tus.handle,
    schema: {
      ...adminRoute("media"),
      summary: "Resumable uploads: tus 1.0 with creation, creation-with-upload, termination",
    },
  };
  app.addHook("onSend", respondEarly);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(bodyType, (_request, _payload, done) => done(null));
  app.addContentTypeParser("*", ({ method }, _payload, done) => {
    // According to the protocol, the content type of a creation matters only if it contains a part
    // of the file.
    const isBody = method !== "POST";
    done(isBody ? new AppError("unsupported_media_type", `Send this as ${bodyType}.`) : null);
  });
  app.route({ ...options, method: ["POST", "OPTIONS"], url: uploadsPath });
  app.route({
    ...options,
    method: ["HEAD", "PATCH", "DELETE", "OPTIONS"],
    url: `${uploadsPath}/:id`,
  });
}
