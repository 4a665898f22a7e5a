import { z } from "zod";
import { envelope, ok, pageOf, pageQuery } from "../../../kit/envelope.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { Runs } from "../lifecycle.ts";
import { described } from "../route.ts";
import { run, runDiff, runIdParams, runStatus } from "../schema.ts";
import { blame, blameQuery, estimate, estimateQuery } from "./schema.ts";

/** The routes that tell of runs. */
export function registerReading(app: AppServer, routes: { runs: Runs }): void {
  const { runs } = routes;
  registerLooking(app, routes);
  const query = z.strictObject({ ...pageQuery, status: runStatus.optional() });
  app.get(
    "/devconsole/runs",
    {
      schema: {
        ...described,
        summary: "Runs, newest first",
        querystring: query,
        response: { 200: envelope(pageOf(run)) },
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
        ...described,
        summary: "One run",
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
        ...described,
        summary: "What a run changed, file by file",
        params: runIdParams,
        response: { 200: envelope(runDiff) },
      },
    },
    async (request) => ok(await runs.diff(request.params.id)),
  );
}

/** What is found out about runs: what the next one may take, who last touched a line. */
function registerLooking(app: AppServer, { runs }: { runs: Runs }): void {
  app.get(
    "/devconsole/estimate",
    {
      schema: {
        ...described,
        summary: "What a run will take, from those before, and what may be spent",
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
        ...described,
        summary: "Who last touched a line of the site, or of a run's preview",
        querystring: blameQuery,
        response: { 200: envelope(blame) },
      },
    },
    async (request) => ok(await runs.blame(request.query)),
  );
}
