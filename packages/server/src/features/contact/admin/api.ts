import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { Clock } from "../../../kit/clock.ts";
import { envelope, errorEnvelope, ok } from "../../../kit/envelope.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import { exportMessages, readMessages } from "../messages.ts";
import {
  changed,
  deleteBody,
  exportQuery,
  messageList,
  messageQuery,
  readBody,
} from "../schema.ts";
import { countUnread, deleteMessages, markRead } from "../store.ts";

export interface MessageRoutes {
  guard: AdminGuard;
  db: Db;
  clock: Clock;
}

const url = "/api/adminmessages";
const described = { tags: ["messages"], security: [{ session: [] }, { bearer: [] }] };
const errorResponses = { 401: errorEnvelope, 403: errorEnvelope, 422: errorEnvelope };

async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

/** Messages from visitors: list, mark, delete, and download as a file. */
export function registerMessages(app: AppServer, routes: MessageRoutes): void {
  registerReading(app, routes);
  registerChanges(app, routes);
}

function registerReading(app: AppServer, { guard, db, clock }: MessageRoutes): void {
  const onRequest = [noStore, guard.requireAdmin("read")];
  app.get(
    `${url}/list`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "List visitors' messages, unread first, then newest first",
        querystring: messageQuery,
        response: { 200: envelope(messageList), ...errorResponses },
      },
    },
    async (request) => ok(await readMessages(db, request.query)),
  );
  app.get(
    `${url}/export`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Download all messages as a file",
        querystring: exportQuery,
        response: { 200: z.unknown().describe("The file"), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { format } = request.query;
      const name = `messages-${isoTime(clock.now()).slice(0, 10)}.${format}`;
      reply.header("content-disposition", `attachment; filename="${name}"`);
      const type =
        format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/json";
      const text = exportMessages(db, format);
      return reply.type(type).send(Readable.from(text, { objectMode: false }));
    },
  );
}

function registerChanges(app: AppServer, { guard, db, clock }: MessageRoutes): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  const response = { 200: envelope(changed), ...errorResponses };
  app.post(
    `${url}/read`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Mark messages as read or unread",
        body: readBody,
        response,
      },
    },
    async (request) => {
      const { ids, read } = request.body;
      const count = await markRead(db, ids, read ? isoTime(clock.now()) : null);
      return ok({ changed: count, unread: await countUnread(db) });
    },
  );
  app.post(
    `${url}/delete`,
    {
      onRequest,
      schema: { ...described, summary: "Permanently delete messages", body: deleteBody, response },
    },
    async (request) => {
      const count = await deleteMessages(db, request.body.ids);
      return ok({ changed: count, unread: await countUnread(db) });
    },
  );
}
