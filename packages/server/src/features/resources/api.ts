import { envelope, errorEnvelope, ok, paginate } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import {
  createBody,
  deleteBody,
  deleted,
  listQuery,
  reorderBody,
  saveBody,
  source,
  sourceList,
  sourcePage,
  startersAdded,
} from "./schema.ts";
import {
  createSource,
  removeSource,
  reorderSources,
  saveSource,
  type SourceDependencies,
} from "./sources.ts";
import { addStarterSources } from "./starter-sources.ts";
import { listSources } from "./store.ts";

export interface SourceRoutesDependencies extends SourceDependencies {
  guard: AdminGuard;
}

const described = adminRoute("sources");

function registerReading(app: AppServer, { db, guard }: SourceRoutesDependencies): void {
  app.get(
    "/api/adminsources/list",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "List agents' sources in order; with `agent`, only those of that agent",
        querystring: listQuery,
        response: { 200: envelope(sourcePage), ...adminErrorResponses },
      },
    },
    async (request) => {
      const { agent, ...page } = request.query;
      return ok(paginate(await listSources(db, agent), page));
    },
  );
}

function registerWriting(app: AppServer, deps: SourceRoutesDependencies): void {
  const onRequest = [noStore, deps.guard.requireAdmin("write")];
  app.post(
    "/api/adminsources/create",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Add a source at the end; 409 when there are already 100",
        body: createBody,
        response: { 201: envelope(source), 409: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request, reply) => reply.code(201).send(ok(await createSource(deps, request.body))),
  );
  app.post(
    "/api/adminsources/save",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Update a source; omitted fields keep their values",
        body: saveBody,
        response: { 200: envelope(source), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => ok(await saveSource(deps, request.body)),
  );
}

function registerStarters(app: AppServer, deps: SourceRoutesDependencies): void {
  app.post(
    "/api/adminsources/starters",
    {
      onRequest: [noStore, deps.guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Add the missing starter sources; 409 when they exceed the limit of 100",
        response: { 200: envelope(startersAdded), 409: errorEnvelope, ...adminErrorResponses },
      },
    },
    async () => ok({ added: await addStarterSources(deps) }),
  );
}

function registerArranging(app: AppServer, deps: SourceRoutesDependencies): void {
  const onRequest = [noStore, deps.guard.requireAdmin("write")];
  app.post(
    "/api/adminsources/delete",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Remove a source",
        body: deleteBody,
        response: { 200: envelope(deleted), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => ok(await removeSource(deps, request.body.id)),
  );
  app.post(
    "/api/adminsources/reorder",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Reorder the given sources within the positions they hold",
        body: reorderBody,
        response: { 200: envelope(sourceList), 404: errorEnvelope, ...adminErrorResponses },
      },
    },
    async (request) => {
      const items = await reorderSources(deps, request.body.ids);
      return ok({ items, total: items.length });
    },
  );
}

/** Registers the admin routes of the source registry, for a session or a bearer token. */
export function registerSources(app: AppServer, deps: SourceRoutesDependencies): void {
  registerReading(app, deps);
  registerWriting(app, deps);
  registerStarters(app, deps);
  registerArranging(app, deps);
}
