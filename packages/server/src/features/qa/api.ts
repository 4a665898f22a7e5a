import { envelope, errorEnvelope, ok, paginate } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import { isoTime } from "../../kit/time.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import { type IgnoreRule, listIgnores } from "./findings/ignore-store.ts";
import { ignoreFinding, reopenFinding, ignoreAllOpen, unignore } from "./findings/ignore.ts";
import { listFindings } from "./findings/list-store.ts";
import { findFinding } from "./findings/store.ts";
import { actorOf, type FixRoutesDependencies, registerFix } from "./fix/api.ts";
import { makeOverview, type OverviewDependencies } from "./overview.ts";
import { listRuns, findRun } from "./runs/store.ts";
import { serializeIgnore, serializeRun } from "./serialize.ts";
import { serializeFindings } from "./serialize-findings.ts";
import { type ExportRoutesDependencies, registerExport } from "./report/api.ts";
import {
  finding,
  findingIdQuery,
  findingList,
  findingQuery,
  ignoreResponse,
  ignoreBody,
  ignoreList,
  ignoreQuery,
  noBody,
  overview,
  runSchema,
  runList,
  runQuery,
  reopenResponse,
  reopenBody,
  unignoreBody,
} from "./schema.ts";

export interface QaRoutesDependencies
  extends OverviewDependencies, FixRoutesDependencies, ExportRoutesDependencies {}

const described = adminRoute("qa");
const changeErrorResponses = { ...adminErrorResponses, 404: errorEnvelope, 409: errorEnvelope };

function requireRow<T>(row: T | null, what: string): T {
  if (row !== null) return row;
  throw new AppError("not_found", `This ${what} doesn't exist.`);
}

function registerRuns(app: AppServer, deps: QaRoutesDependencies): void {
  const { db } = deps;
  const onRequest = [noStore, deps.guard.requireAdmin("read")];
  app.get(
    "/api/adminqa/overview",
    {
      onRequest,
      schema: {
        ...described,
        summary: "The QA status of the site; 304 if it hasn't changed",
        querystring: noBody,
        response: { 200: envelope(overview), ...adminErrorResponses },
      },
    },
    async (request, reply) => {
      const made = await makeOverview(deps);
      reply.header("etag", made.etag);
      if (isUnchanged(request.headers["if-none-match"], made.etag)) {
        return reply.code(304 as never).send();
      }
      return ok(made.overview);
    },
  );
  app.get(
    "/api/adminqa/runs",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List stored QA runs, newest first",
        querystring: runQuery,
        response: { 200: envelope(runList), ...adminErrorResponses },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      const { rows, total } = await listRuns(db, request.query);
      return ok({ items: rows.map(serializeRun), total, page, perPage });
    },
  );
  app.get(
    "/api/adminqa/run",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get a QA run; with its progress while it runs",
        querystring: findingIdQuery,
        response: { 200: envelope(runSchema), ...adminErrorResponses, 404: errorEnvelope },
      },
    },
    async (request) => ok(serializeRun(requireRow(await findRun(db, request.query.id), "QA run"))),
  );
}

function registerFindings(app: AppServer, deps: QaRoutesDependencies): void {
  const { db } = deps;
  const onRequest = [noStore, deps.guard.requireAdmin("read")];
  app.get(
    "/api/adminqa/findings",
    {
      onRequest,
      schema: {
        ...described,
        summary: "List findings, most important first by default",
        querystring: findingQuery,
        response: { 200: envelope(findingList), ...adminErrorResponses },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      const { rows, total } = await listFindings(db, request.query);
      return ok({ items: await serializeFindings(deps, rows), total, page, perPage });
    },
  );
  app.get(
    "/api/adminqa/finding",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Get a finding with its evidence and its first 50 locations",
        querystring: findingIdQuery,
        response: { 200: envelope(finding), ...adminErrorResponses, 404: errorEnvelope },
      },
    },
    async (request) => {
      const row = requireRow(await findFinding(db, request.query.id), "finding");
      const [answer] = await serializeFindings(deps, [row]);
      return ok(requireRow(answer ?? null, "finding"));
    },
  );
}

function registerIgnore(app: AppServer, deps: QaRoutesDependencies): void {
  const { db, clock } = deps;
  const onRequest = [noStore, deps.guard.requireAdmin("write")];
  app.post(
    "/api/adminqa/ignore",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Ignore a finding, or a check on one page or the whole site",
        body: ignoreBody,
        response: { 200: envelope(ignoreResponse), ...changeErrorResponses },
      },
    },
    async (request) => {
      const { findingId, check = "", pageUrl = null, reason, until } = request.body;
      const target = findingId === undefined ? { check, pageUrl } : { findingId };
      const by = actorOf(request, deps.ownerName);
      // In the stored format of times, so that they can be compared as text.
      const end = until ? isoTime(Date.parse(until)) : null;
      const at = isoTime(clock.now());
      return ok(await ignoreFinding(db, { ...target, reason, until: end, by, at }));
    },
  );
  app.post(
    "/api/adminqa/reopen",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Stop ignoring a finding",
        body: reopenBody,
        response: { 200: envelope(reopenResponse), ...changeErrorResponses },
      },
    },
    async (request) => ok(await reopenFinding(db, request.body)),
  );
}

function registerUnignore(app: AppServer, deps: QaRoutesDependencies): void {
  const { db, clock } = deps;
  const onRequest = [noStore, deps.guard.requireAdmin("write")];
  app.post(
    "/api/adminqa/unignore",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Remove an ignore rule of any kind",
        body: unignoreBody,
        response: { 200: envelope(reopenResponse), ...changeErrorResponses },
      },
    },
    async (request) => ok(await unignore(db, request.body.id)),
  );
  app.post(
    "/api/adminqa/baseline",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Ignore all open findings, so that only new ones are reported",
        body: noBody,
        response: { 200: envelope(ignoreResponse), ...adminErrorResponses },
      },
    },
    async (request) => {
      const by = actorOf(request, deps.ownerName);
      return ok(await ignoreAllOpen(db, { by, at: isoTime(clock.now()) }));
    },
  );
}

function registerIgnores(app: AppServer, { guard, db }: QaRoutesDependencies): void {
  app.get(
    "/api/adminqa/ignores",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "List ignore rules with their reasons, newest first",
        querystring: ignoreQuery,
        response: { 200: envelope(ignoreList), ...adminErrorResponses },
      },
    },
    async ({ query }) => {
      const rows: IgnoreRule[] = await listIgnores(db);
      return ok(paginate(rows.map(serializeIgnore), query));
    },
  );
}

/** The findings API, for an admin session or a token with the scope. */
export function registerQa(app: AppServer, deps: QaRoutesDependencies): void {
  registerRuns(app, deps);
  registerFindings(app, deps);
  registerFix(app, deps);
  registerIgnore(app, deps);
  registerUnignore(app, deps);
  registerIgnores(app, deps);
  registerExport(app, deps);
}
