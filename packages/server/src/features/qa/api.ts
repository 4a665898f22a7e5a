import { envelope, errorEnvelope, ok, onePage } from "../../kit/envelope.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import { isoTime } from "../../kit/time.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { adminRefusals, adminRoute, noStore } from "../admin-auth/admin-route.ts";
import { type IgnoreRule, ignoreRules } from "./findings/ignore-store.ts";
import { ignoreFinding, reopenFinding, takeBaseline, unignore } from "./findings/ignore.ts";
import { listFindings } from "./findings/list-store.ts";
import { findingById } from "./findings/store.ts";
import { actorOf, type FixRoutes, registerFixing } from "./fix/api.ts";
import { makeOverview, type OverviewDeps } from "./overview.ts";
import { listPasses, passById } from "./pass/store.ts";
import { findingOf, ignoreOf, passOf } from "./record.ts";
import { type ExportRoutes, registerExport } from "./report/api.ts";
import {
  finding,
  findingIdQuery,
  findingList,
  findingQuery,
  ignoreAnswer,
  ignoreBody,
  ignoreList,
  ignoreQuery,
  noBody,
  overview,
  pass,
  passList,
  passQuery,
  reopenAnswer,
  reopenBody,
  unignoreBody,
} from "./schema.ts";

export interface QaRoutes extends OverviewDeps, FixRoutes, ExportRoutes {}

const described = adminRoute("qa");
const changeRefusals = { ...adminRefusals, 404: errorEnvelope, 409: errorEnvelope };

function need<T>(row: T | null, what: string): T {
  if (row !== null) return row;
  throw new AppError("not_found", `There is no such ${what}.`);
}

function registerPasses(app: AppServer, routes: QaRoutes): void {
  const { db } = routes;
  const onRequest = [noStore, routes.guard.requireAdmin("read")];
  app.get(
    "/api/adminqa/overview",
    {
      onRequest,
      schema: {
        ...described,
        summary: "How the site stands; 304 for whom that has not changed",
        querystring: noBody,
        response: { 200: envelope(overview), ...adminRefusals },
      },
    },
    async (request, reply) => {
      const made = await makeOverview(routes);
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
        summary: "The passes that are kept, the newest first",
        querystring: passQuery,
        response: { 200: envelope(passList), ...adminRefusals },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      const { rows, total } = await listPasses(db, request.query);
      return ok({ items: rows.map(passOf), total, page, perPage });
    },
  );
  app.get(
    "/api/adminqa/run",
    {
      onRequest,
      schema: {
        ...described,
        summary: "One pass; while it runs, how far it is",
        querystring: findingIdQuery,
        response: { 200: envelope(pass), ...adminRefusals, 404: errorEnvelope },
      },
    },
    async (request) => ok(passOf(need(await passById(db, request.query.id), "pass"))),
  );
}

function registerFindings(app: AppServer, routes: QaRoutes): void {
  const { db } = routes;
  const onRequest = [noStore, routes.guard.requireAdmin("read")];
  app.get(
    "/api/adminqa/findings",
    {
      onRequest,
      schema: {
        ...described,
        summary: "What was found, what matters most first unless another order is asked for",
        querystring: findingQuery,
        response: { 200: envelope(findingList), ...adminRefusals },
      },
    },
    async (request) => {
      const { page, perPage } = request.query;
      const { rows, total } = await listFindings(db, request.query);
      return ok({ items: rows.map(findingOf), total, page, perPage });
    },
  );
  app.get(
    "/api/adminqa/finding",
    {
      onRequest,
      schema: {
        ...described,
        summary: "One finding with its evidence and the first 50 places",
        querystring: findingIdQuery,
        response: { 200: envelope(finding), ...adminRefusals, 404: errorEnvelope },
      },
    },
    async (request) => ok(findingOf(need(await findingById(db, request.query.id), "finding"))),
  );
}

function registerIgnoring(app: AppServer, routes: QaRoutes): void {
  const { db, clock } = routes;
  const onRequest = [noStore, routes.guard.requireAdmin("write")];
  app.post(
    "/api/adminqa/ignore",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Hear no more of a finding, or of a check on one page or on all",
        body: ignoreBody,
        response: { 200: envelope(ignoreAnswer), ...changeRefusals },
      },
    },
    async (request) => {
      const { findingId, check = "", pageUrl = null, reason, until } = request.body;
      const target = findingId === undefined ? { check, pageUrl } : { findingId };
      const by = actorOf(request, routes.ownerName);
      // As all times are kept, so that they can be compared as texts.
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
        summary: "Hear of an ignored finding again",
        body: reopenBody,
        response: { 200: envelope(reopenAnswer), ...changeRefusals },
      },
    },
    async (request) => ok(await reopenFinding(db, request.body)),
  );
}

function registerUnignoring(app: AppServer, routes: QaRoutes): void {
  const { db, clock } = routes;
  const onRequest = [noStore, routes.guard.requireAdmin("write")];
  app.post(
    "/api/adminqa/unignore",
    {
      onRequest,
      schema: {
        ...described,
        summary: "Take an ignoring back, of whatever kind",
        body: unignoreBody,
        response: { 200: envelope(reopenAnswer), ...changeRefusals },
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
        summary: "Ignore all that is open now, so that only what comes later is told",
        body: noBody,
        response: { 200: envelope(ignoreAnswer), ...adminRefusals },
      },
    },
    async (request) => {
      const by = actorOf(request, routes.ownerName);
      return ok(await takeBaseline(db, { by, at: isoTime(clock.now()) }));
    },
  );
}

function registerIgnores(app: AppServer, { guard, db }: QaRoutes): void {
  app.get(
    "/api/adminqa/ignores",
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "What is ignored and why, the newest first",
        querystring: ignoreQuery,
        response: { 200: envelope(ignoreList), ...adminRefusals },
      },
    },
    async ({ query }) => {
      const rows: IgnoreRule[] = await ignoreRules(db);
      return ok(onePage(rows.map(ignoreOf), query));
    },
  );
}

/** What was found on the site over HTTP, for an admin session or a token with the scope. */
export function registerQa(app: AppServer, routes: QaRoutes): void {
  registerPasses(app, routes);
  registerFindings(app, routes);
  registerFixing(app, routes);
  registerIgnoring(app, routes);
  registerUnignoring(app, routes);
  registerIgnores(app, routes);
  registerExport(app, routes);
}
