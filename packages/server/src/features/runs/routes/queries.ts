import { z } from "zod";
import { envelope, ok, pageSchema, pageQuery } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Runs } from "../runs.ts";
import {
  blame,
  blameQuery,
  estimate,
  estimateQuery,
  run,
  runDiff,
  runIdParams,
  runStatus,
} from "../schema.ts";
import { consoleRoute } from "./route-schema.ts";

/** The routes that read runs. */
export function registerRunQueries(app: AppServer, routes: { runs: Runs }): void {
  const { runs } = routes;
  registerLookups(app, routes);
  const query = z.strictObject({ ...pageQuery, status: runStatus.optional() });
  app.get(
    "/devconsole/runs",
    {
      schema: {
        ...consoleRoute,
        summary: "List runs, newest first",
        querystring: query,
        response: { 200: envelope(pageSchema(run)) },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      return ok({ ...(await runs.list(request.query)), page, perPage });
    },
  );
  app.get(
    "/devconsole/runs/:id",
    {
      schema: {
        ...consoleRoute,
        summary: "Get a run",
        params: runIdParams,
        response: { 200: envelope(run) },
      },
    },
    async (request) => ok(await runs.get(request.params.id)),
  );
  app.get(
    "/devconsole/runs/:id/diff",
    {
      schema: {
        ...consoleRoute,
        summary: "A run's changes, file by file",
        params: runIdParams,
        response: { 200: envelope(runDiff) },
      },
    },
    async (request) => ok(await runs.getDiff(request.params.id)),
  );
}

/** A run's estimated cost, and who last changed a line. */
function registerLookups(app: AppServer, { runs }: { runs: Runs }): void {
  app.get(
    "/devconsole/estimate",
    {
      schema: {
        ...consoleRoute,
        summary: "An estimate of a run's cost from earlier runs, and the remaining limits",
        querystring: estimateQuery,
        response: { 200: envelope(estimate) },
      },
    },
    async (request) => ok(await runs.estimate(request.query.mode)),
  );
  app.get(
    "/devconsole/blame",
    {
      schema: {
        ...consoleRoute,
        summary: "Who last changed a line of the site or of a run's preview",
        querystring: blameQuery,
        response: { 200: envelope(blame) },
      },
    },
    async (request) => ok(await runs.blame(request.query)),
  );
}
