import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import type { Projects } from "./projects.ts";
import {
  deletedProject,
  projectCreate,
  projectDelete,
  projectDetail,
  projectFilters,
  projectList,
  projectListQuery,
  projectQuery,
  projectReorder,
  projectSave,
  recordBytes,
  reorderedProjects,
} from "./schema.ts";

export interface ProjectRoutesDependencies {
  guard: Pick<AdminGuard, "requireAdmin">;
  projects: Projects;
}

const described = adminRoute("projects");
const changeErrorResponses = { ...adminErrorResponses, 404: errorEnvelope, 409: errorEnvelope };

function registerReading(app: AppServer, { guard, projects }: ProjectRoutesDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("read")];
  app.get(
    "/api/adminprojects/list",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List projects, in the owner's order by default",
        querystring: projectListQuery,
        response: { 200: envelope(projectList), ...adminErrorResponses },
      },
    },
    async (request) => ok(await projects.list(request.query)),
  );
  app.get(
    "/api/adminprojects/filters",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Count projects by status and category",
        response: { 200: envelope(projectFilters), ...adminErrorResponses },
      },
    },
    async () => ok(await projects.filters()),
  );
  app.get(
    "/api/adminprojects/get",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get a project with its gallery's media",
        querystring: projectQuery,
        response: { 200: envelope(projectDetail), ...adminErrorResponses, 404: errorEnvelope },
      },
    },
    async (request) => ok(await projects.get(request.query)),
  );
}

function registerWriting(app: AppServer, { guard, projects }: ProjectRoutesDependencies): void {
  const onRequest = [noStore, guard.requireAdmin("write")];
  app.post(
    "/api/adminprojects/create",
    {
      onRequest,
      bodyLimit: recordBytes,
      schema: {
        ...described,
        summary: "Add a project",
        body: projectCreate,
        response: { 201: envelope(projectDetail), ...adminErrorResponses, 409: errorEnvelope },
      },
    },
    async (request, reply) => reply.code(201).send(ok(await projects.create(request.body))),
  );
  app.post(
    "/api/adminprojects/save",
    {
      onRequest,
      bodyLimit: recordBytes,
      schema: {
        ...described,
        summary: "Update a project at the given version",
        body: projectSave,
        response: { 200: envelope(projectDetail), ...changeErrorResponses },
      },
    },
    async (request) => ok(await projects.save(request.body)),
  );
  app.post(
    "/api/adminprojects/delete",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Permanently delete a project",
        body: projectDelete,
        response: { 200: envelope(deletedProject), ...changeErrorResponses },
      },
    },
    async (request) => ok(await projects.remove(request.body)),
  );
  app.post(
    "/api/adminprojects/reorder",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Reorder the given projects within the positions they hold",
        body: projectReorder,
        response: { 200: envelope(reorderedProjects), ...adminErrorResponses },
      },
    },
    async (request) => ok(await projects.reorder(request.body.ids)),
  );
}

/** The projects API, for an admin session or a token with the scope. */
export function registerProjects(app: AppServer, deps: ProjectRoutesDependencies): void {
  registerReading(app, deps);
  registerWriting(app, deps);
}
