import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { answerEarly } from "./receive-linger.ts";
import { type Tus, uploadsPath } from "./tus.ts";

const protocol: onRequestAsyncHookHandler = async (_request, reply) => {
  reply.headers({ "tus-resumable": "1.0.0", "tus-version": "1.0.0" });
};

/** The addresses of resumable uploads, in a scope of their own: no other route takes such bodies. */
export function addResumableRoutes(
  app: FastifyInstance,
  route: { tus: Tus; onRequest: onRequestAsyncHookHandler[] },
): void {
  const options = {
    config: { slowBody: true },
    onRequest: [protocol, ...route.onRequest],
    handler: route.tus.answer,
    schema: {
      tags: ["media"],
      security: [{ session: [] }, { bearer: [] }],
      summary: "Resumable uploads: tus 1.0 with creation, creation-with-upload, termination",
    },
  };
  app.addHook("onSend", answerEarly);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/offset+octet-stream", (_request, _payload, done) => {
    done(null);
  });
  app.route({ ...options, method: ["POST", "OPTIONS"], url: uploadsPath });
  app.route({
    ...options,
    method: ["HEAD", "PATCH", "DELETE", "OPTIONS"],
    url: `${uploadsPath}/:id`,
  });
}
