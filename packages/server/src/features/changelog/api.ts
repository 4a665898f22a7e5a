import { envelope, errorEnvelope, ok, pageSchema } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { type ChangelogDependencies, createEntry, removeEntry, saveEntry } from "./edit.ts";
import { createBody, deleteBody, deleted, entry, getQuery, listQuery, saveBody } from "./schema.ts";
import { findEntry, listEntries } from "./store.ts";

export interface ChangelogRoutes extends ChangelogDependencies {
  guard: AdminGuard;
}

const described = adminRoute("changelog");

function registerReading(app: AppServer, { db, guard }: ChangelogRoutes): void {
  const onRequest = [noStore, guard.requireAdmin("read")];
  app.get(
    "/api/adminchangelog/list",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List changelog entries, newest first",
        querystring: listQuery,
        response: { 200: envelope(pageSchema(entry)), ...adminErrorResponses },
      },
    },
    async (request) => {
      const { page, perPage, ...filter } = request.query;
      const slice = { limit: perPage, offset: (page - 1) * perPage };
      return ok({ ...(await listEntries(db, { ...slice, ...filter })), page, perPage });
    },
  );
  app.get(
    "/api/adminchangelog/get",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get a changelog entry",
        querystring: getQuery,
        response: { 200: envelope(entry), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => {
      const found = await findEntry(db, request.query.id);
      if (!found) throw new AppError("not_found", "This changelog entry doesn't exist.");
      return ok(found);
    },
  );
}

function registerCreating(app: AppServer, routes: ChangelogRoutes): void {
  app.post(
    "/api/adminchangelog/create",
    {
      onRequest: [noStore, routes.guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Add an entry and update the site",
        body: createBody,
        response: { 201: envelope(entry), ...adminErrorResponses },
      },
    },
    async (request, reply) => reply.code(201).send(ok(await createEntry(routes, request.body))),
  );
}

function registerChanging(app: AppServer, routes: ChangelogRoutes): void {
  const onRequest = [noStore, routes.guard.requireAdmin("write")];
  const own = { 404: errorEnvelope, 409: errorEnvelope, ...adminErrorResponses };
  app.post(
    "/api/adminchangelog/save",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Update an entry made in the app; 409 for a seeded one",
        body: saveBody,
        response: { 200: envelope(entry), ...own },
      },
    },
    async (request) => ok(await saveEntry(routes, request.body)),
  );
  app.post(
    "/api/adminchangelog/delete",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Delete an entry made in the app; 409 for a seeded one",
        body: deleteBody,
        response: { 200: envelope(deleted), ...own },
      },
    },
    async (request) => ok(await removeEntry(routes, request.body.id)),
  );
}

/** Registers the changelog's admin routes, for a session or a bearer token. */
export function registerChangelog(app: AppServer, routes: ChangelogRoutes): void {
  registerReading(app, routes);
  registerCreating(app, routes);
  registerChanging(app, routes);
}
