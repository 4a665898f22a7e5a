import type { FastifyReply, FastifyRequest } from "fastify";
import { envelope, errorEnvelope, ok } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { AdminGuard } from "../admin-auth/guard.ts";
import { normalizeDomain } from "./domain.ts";
import type { SiteManagement } from "./management.ts";
import {
  availability,
  createBody,
  dismissed,
  domainBody,
  jobList,
  jobView,
  limitBody,
  limitView,
  nameBody,
  nameQuery,
  removeBody,
  siteDetail,
  siteList,
  siteQuery,
  usageList,
  usageQuery,
} from "./schema.ts";

export interface SiteManagementRoutes {
  guard: AdminGuard;
  /** Throws `validation_failed` at the field `password` unless it is the admin's, or there is none. */
  assertPassword(request: FastifyRequest, password: string | undefined): Promise<void>;
  sites: SiteManagement;
}

const url = "/api/adminsites";
/** A token must not be able to create or remove sites, nor get a link that signs in to one. */
const described = { tags: ["sites"], security: [{ session: [] }] };
const errors = {
  401: errorEnvelope,
  403: errorEnvelope,
  422: errorEnvelope,
  503: errorEnvelope,
};
const changeErrors = { ...errors, 404: errorEnvelope, 409: errorEnvelope };

async function noStore(_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header("cache-control", "no-store");
}

/** Whether this instance may have further sites: for every instance, so that the console needn't try. */
export function registerSitesAvailability(
  app: AppServer,
  { guard, isAvailable }: { guard: AdminGuard; isAvailable: boolean },
): void {
  app.get(
    `${url}/available`,
    {
      onRequest: [noStore, guard.requireSession()],
      schema: {
        ...described,
        summary: "Whether this installation can have further sites that are managed here",
        response: { 200: envelope(availability), 401: errorEnvelope, 403: errorEnvelope },
      },
    },
    async () => ok({ isAvailable }),
  );
}

/** The further sites of an installation, for the owner of its own site; only in an admin session. */
export function registerSiteManagement(app: AppServer, routes: SiteManagementRoutes): void {
  registerReading(app, routes);
  registerCreation(app, routes);
  registerJobs(app, routes);
  registerStates(app, routes);
  registerDomains(app, routes);
}

function registerReading(app: AppServer, { guard, sites }: SiteManagementRoutes): void {
  const onRequest = [noStore, guard.requireSession()];
  app.get(
    `${url}/list`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "List the further sites by name, optionally those with a text in name or domain",
        querystring: siteQuery,
        response: { 200: envelope(siteList), ...errors },
      },
    },
    async ({ query }) => ok(await sites.list(query)),
  );
  app.get(
    `${url}/get`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get a further site with its domains",
        querystring: nameQuery,
        response: { 200: envelope(siteDetail), ...errors, 404: errorEnvelope },
      },
    },
    async ({ query }) => ok(await sites.get(query.name)),
  );
  app.get(
    `${url}/usage`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get the disk space and the last activity of sites, at most a minute old",
        querystring: usageQuery,
        response: { 200: envelope(usageList), ...errors },
      },
    },
    async ({ query }) => {
      const measured = await sites.usage.read(query.names);
      const items = measured.map(({ id: name, diskBytes, diskMiB, activeAt }) => ({
        name,
        diskBytes,
        diskMiB,
        activeAt,
      }));
      return ok({ items });
    },
  );
}

function registerCreation(
  app: AppServer,
  { guard, sites, assertPassword }: SiteManagementRoutes,
): void {
  const onRequest = [noStore, guard.requireSession()];
  app.post(
    `${url}/create`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Create a site; it continues as a job, which has the sign-in link at its end",
        body: createBody,
        response: { 202: envelope(jobView), ...changeErrors },
      },
    },
    async ({ body }, reply) => {
      if (body.domain !== undefined) normalizeDomain(body.domain);
      return reply.code(202).send(ok(await sites.create(body)));
    },
  );
  app.post(
    `${url}/remove`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Delete a site with everything in it; needs its name again and the password",
        body: removeBody,
        response: { 202: envelope(jobView), ...changeErrors, 429: errorEnvelope },
      },
    },
    async (request, reply) => {
      const { name, confirmName, password } = request.body;
      if (confirmName !== name) {
        const fields = { confirmName: "isn't the site's name" };
        throw new AppError("validation_failed", "Enter the site's name.", { fields });
      }
      await assertPassword(request, password);
      return reply.code(202).send(ok(await sites.remove(name)));
    },
  );
}

function registerJobs(app: AppServer, { guard, sites }: SiteManagementRoutes): void {
  const onRequest = [noStore, guard.requireSession()];
  app.get(
    `${url}/jobs`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "List the sites that are being created or removed, and those that were",
        response: { 200: envelope(jobList), ...errors },
      },
    },
    async () => ok({ items: await sites.jobs.list() }),
  );
  app.post(
    `${url}/dismiss`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Forget a job that has ended, with its sign-in link",
        body: nameBody,
        response: { 200: envelope(dismissed), ...errors },
      },
    },
    async ({ body: { name } }) => {
      await sites.jobs.dismiss(name);
      return ok({ name });
    },
  );
}

function registerStates(app: AppServer, { guard, sites }: SiteManagementRoutes): void {
  const onRequest = [noStore, guard.requireSession()];
  const changes = [
    ["suspend", "Stop serving a site, without deleting anything"],
    ["resume", "Serve a suspended site again"],
  ] as const;
  for (const [what, summary] of changes) {
    app.post(
      `${url}/${what}`,
      {
        onRequest,
        schema: {
          ...described,
          summary,
          body: nameBody,
          response: { 200: envelope(siteDetail), ...changeErrors },
        },
      },
      async ({ body: { name } }) => {
        await sites[what](name);
        return ok(await sites.get(name));
      },
    );
  }
  app.post(
    `${url}/limit`,
    {
      onRequest,
      schema: {
        ...described,
        summary: "Limit how much disk space a site may use; null for no limit",
        body: limitBody,
        response: { 200: envelope(limitView), ...changeErrors },
      },
    },
    async ({ body: { name, diskMiB } }) => {
      await sites.setDiskLimit(name, diskMiB);
      return ok({ name, diskMiB });
    },
  );
}

function registerDomains(app: AppServer, { guard, sites }: SiteManagementRoutes): void {
  const onRequest = [noStore, guard.requireSession()];
  const changes = [
    ["add-domain", "addDomain", "Have a domain lead to a site's main domain"],
    ["set-main-domain", "setMainDomain", "Make a domain the main one and build the site again"],
    ["remove-domain", "removeDomain", "Take a domain away from a site"],
  ] as const;
  for (const [path, change, summary] of changes) {
    app.post(
      `${url}/${path}`,
      {
        onRequest,
        schema: {
          ...described,
          summary,
          body: domainBody,
          response: { 200: envelope(siteDetail), ...changeErrors },
        },
      },
      async ({ body: { name, domain } }) => {
        await sites[change](name, normalizeDomain(domain));
        return ok(await sites.get(name));
      },
    );
  }
}
