import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { envelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { eventStreamHeaders } from "../../kit/event-stream.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { answerStream } from "./answer-stream.ts";
import type { Designer } from "./designer.ts";
import { builtProject, buildProjectBody, draft, draftBody } from "./schema.ts";

const described = { tags: ["console"], security: [{ session: [] }] };

function wantsStream({ headers }: FastifyRequest): boolean {
  return /(?:^|[\s,])text\/event-stream/.test(headers.accept ?? "");
}

/** Aborted when the connection of an answer closes, or the server does. */
function untilGone(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () =>
    gone.abort(new AppError("unavailable", "Nobody waits for the answer any more.")),
  );
  return AbortSignal.any([closing, gone.signal]);
}

/** Who may call these is checked before any route, by `guardRunner`. */
export function registerDesign(app: AppServer, { designer }: { designer: Designer }): void {
  const closing = new AbortController();
  // An answer under way would keep the server from closing.
  app.addHook("preClose", async () =>
    closing.abort(new AppError("unavailable", "The server is shutting down.")),
  );
  app.post(
    "/devconsole/draft",
    {
      schema: {
        ...described,
        summary: "Draft summary, lede and text of a project from a brief",
        body: draftBody,
        response: { 200: envelope(draft) },
      },
    },
    async (request, reply) =>
      ok(await designer.draft(request.body, { signal: untilGone(reply, closing.signal) })),
  );
  app.post(
    "/devconsole/build-project",
    {
      schema: {
        ...described,
        summary:
          "Build a whole project from a brief and stored pictures; text/event-stream shows how it goes",
        body: buildProjectBody,
        response: { 200: envelope(builtProject) },
      },
    },
    async (request, reply) => {
      const signal = untilGone(reply, closing.signal);
      const { body } = request;
      if (!wantsStream(request)) {
        return ok(await designer.build(body, { signal, onProgress: () => {} }));
      }
      const onError = (err: unknown): void =>
        request.log.error({ err }, "building a project failed");
      const text = answerStream((call) => designer.build(body, call), { signal, onError });
      const stream = Readable.from(text, { objectMode: false });
      // What is sent is a stream, whatever the JSON answer's type is.
      return reply.headers(eventStreamHeaders).send(stream as never);
    },
  );
}
