import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import { ownLimits, registerAdminAuth } from "../features/admin-auth/api.ts";
import { loadConsoleAssets } from "../features/admin-auth/console-assets.ts";
import { registerRunnerProxy } from "../features/admin-auth/runner-proxy.ts";
import { type AdminGuard, makeAdminGuard } from "../features/admin-auth/guard.ts";
import { rewriteMalformedLink } from "../features/admin-auth/malformed-link.ts";
import { makePreviewTickets } from "../features/admin-auth/ticket.ts";
import { hasLeftovers, importFolder } from "../features/portability/import/cleanup.ts";
import { registerHealthApi } from "../features/health/api.ts";
import { makeHealth } from "../features/health/health.ts";
import { type Decorate, registerSite } from "../features/release/api.ts";
import { recordBytes } from "../features/projects/schema.ts";
import type { FindOwnContent } from "../features/release/site/own-content.ts";
import { openSiteFiles, type SiteFiles } from "../features/release/site/site-files.ts";
import { addConsoleLoader } from "../features/runs/console-loader.ts";
import { type ClientOf, makeClientOf } from "../platform/http/client-address.ts";
import { limitConnections } from "../platform/http/connection-limit.ts";
import { trustFrontPeer } from "../platform/http/front-peer.ts";
import { emptyQuery } from "../platform/http/strict-schemas.ts";
import { describeApi } from "../platform/http/openapi.ts";
import { allowedHosts } from "../platform/http/origin.ts";
import { registerPublicThrottle } from "../platform/http/public-throttle.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";
import { trackUnreadResponses } from "../platform/http/unread-responses.ts";
import { makeAccessLog } from "../platform/access-log.ts";
import { collectGarbage } from "../platform/collect-garbage.ts";
import { type Environment, loadConfig, logFileOf } from "../platform/config.ts";
import { removeTree } from "../platform/files.ts";
import { lockState } from "../platform/lock.ts";
import { platformRoot } from "../platform/paths.ts";
import { openAccounts } from "./accounts.ts";
import { type Agents, openAgents } from "./agents.ts";
import { openBackgroundLog } from "./log-destinations.ts";
import { registerMessaging } from "./contact.ts";
import { followNodes } from "./follow-nodes.ts";
import { type Instance, openInstance } from "./instance.ts";
import { healthDependencies } from "./health.ts";
import { registerFindings } from "./qa.ts";
import { openEmail } from "./email.ts";
import { registerPanel } from "./panel.ts";
import { importUploadsFolder, openImportUploads } from "./import-uploads.ts";
import { openSiteManagement } from "./site-management.ts";
import { openRecords, type Records } from "./records.ts";
import {
  makeNextQaRunReader,
  prepareRunnerForAdmin,
  runnerUrl,
  wakeRunner,
} from "./runner-client.ts";
import { runProcess, type Service } from "./run-process.ts";
import { respondFromMemory } from "./site-requests.ts";
import { socketArgument, listenOnSocket } from "./shared-port.ts";
import { reportActivity } from "./site-activity.ts";
import { rewriteRenamedPath } from "./renamed-paths.ts";
import { registerSettings } from "./settings.ts";
import { registerOwnerSetup, registerSitePages } from "./setup.ts";
import { registerTaskQueue } from "./tasks.ts";
import { configFor, trialMode } from "./trial-mode.ts";
import { openWebMetrics } from "./web-metrics.ts";

/** Adds the console's loader to the signed-in admin's pages. */
function decorator(guard: AdminGuard, assets: ReturnType<typeof loadConsoleAssets>): Decorate {
  return async (request, page) => {
    const session = await guard.findSession(request).catch((error: unknown) => {
      // A visitor's page doesn't depend on the database; the admin's console does.
      request.log.error({ err: error }, "the session can't be checked");
      return null;
    });
    return session && addConsoleLoader(await page(), assets);
  };
}

/** Parts of the routes that others use or that run in the background. */
interface Routes {
  findOwn: FindOwnContent;
  close(): Promise<void>;
}

/** Routes for visitors and users, their email, and the settings of both. */
function registerPublicRoutes(
  app: AppServer,
  instance: Instance,
  {
    guard,
    clientOf,
    agents,
    isOnTrial,
  }: { guard: AdminGuard; clientOf: ClientOf; agents: Agents; isOnTrial: boolean },
): Routes {
  const { settings } = agents;
  const email = openEmail(instance, settings);
  const { outbox, deliveryWorker } = email;
  registerSettings(app, instance, { guard, agents, email });
  registerMessaging(app, instance, { guard, clientOf, settings, outbox });
  const accountsService = openAccounts(instance, { guard, clientOf, settings, outbox });
  accountsService.register(app);
  if (!isOnTrial) {
    accountsService.start();
    deliveryWorker.start();
  }
  return {
    findOwn: accountsService.findOwnContent,
    async close() {
      await accountsService.close();
      await deliveryWorker.close();
    },
  };
}

interface RouteDependencies {
  records: Records;
  env: Environment;
  site: SiteFiles;
  isOnTrial: boolean;
}

function registerRoutes(
  app: AppServer,
  instance: Instance,
  { records, env, site, isOnTrial }: RouteDependencies,
): Routes {
  const { config, clock, keys, openLimit } = instance;
  const { db } = instance.database;
  const guard = makeAdminGuard({ db, clock, config });
  const clientOf = makeClientOf(config);
  const tickets = makePreviewTickets({ key: keys.preview, db, clock });
  const agents = openAgents(instance);
  const check = makeHealth(healthDependencies(instance, agents));
  const assets = loadConsoleAssets(join(platformRoot, "packages/console/dist"));
  const names = [new URL(config.baseUrl).host];
  app.addHook("onRequest", allowedHosts({ names, anyAddress: true }));
  registerPublicThrottle(app, {
    clock,
    clientOf,
    perMinute: config.limits.publicPerMinute,
    isAdmitted: (request: FastifyRequest) => request.admin !== undefined,
    routesWithOwnLimit: ownLimits,
  });
  registerHealthApi(app, check);
  const access = { db, clock, config, guard, clientOf, openLimit };
  const { assertPassword } = registerAdminAuth(app, access);
  const sites = openSiteManagement(app, instance, { guard, env, assertPassword });
  registerPanel(app, instance, { guard, agents, assets, check });
  records.register(app, guard);
  registerSitePages(app, instance, guard);
  registerOwnerSetup(app, instance, { guard, agents });
  const others = registerPublicRoutes(app, instance, { guard, clientOf, agents, isOnTrial });
  const uploads = openImportUploads(app, instance, { guard, env });
  const wake = () => wakeRunner(instance);
  prepareRunnerForAdmin(app, instance);
  registerTaskQueue(app, instance, { guard, agents, wake });
  registerFindings(app, instance, { guard, agents, wake, nextAt: makeNextQaRunReader(instance) });
  registerRunnerProxy(app, {
    guard,
    runnerUrl: runnerUrl(instance),
    runnerKey: keys.runner,
    baseUrl: config.baseUrl,
    verifyPreviewTicket: (url) => tickets.verifyUrl(url),
    largeBodies: { "/devconsole/preview": recordBytes },
  });
  registerSite(app, {
    ...site,
    log: instance.log,
    decorate: decorator(guard, assets),
    workers: instance.workers,
    findOwnContent: others.findOwn,
  });
  return {
    findOwn: others.findOwn,
    async close() {
      sites.close();
      await uploads.close();
      await others.close();
    },
  };
}

/** The description of the whole API: this process's routes and, through the gate, the runner's. */
async function registerApiDescription(
  app: AppServer,
  instance: Instance,
  { secure }: { secure: boolean },
): Promise<void> {
  const info = {
    title: "Vitrine",
    version: instance.version,
    description:
      "Every JSON response is an envelope with ok, data, and error. Exports and reports are files without an envelope, and resumable uploads follow tus 1.0. The errors of both are envelopes.",
  };
  const own = await describeApi(app, info, { secure });
  // Created on demand, so that the runner's part isn't loaded before.
  const describe = async () => {
    const { describeRunner } = await import("./runner-api.ts");
    const document = own();
    const runner = await describeRunner(info);
    return JSON.stringify({ ...document, paths: { ...document.paths, ...runner.paths } });
  };
  let text: Promise<string> | null = null;
  const schema = { hide: true, querystring: emptyQuery };
  app.get("/api/openapi.json", { schema }, async (_request, reply) => {
    text ??= describe().catch((error: unknown) => {
      // The next request tries again.
      text = null;
      throw error;
    });
    return reply.type("application/json; charset=utf-8").send(await text);
  });
}

/** Removes what a killed import has left, without loading everything that an import needs. */
async function recoverImport(instance: Instance): Promise<void> {
  await removeTree(importUploadsFolder(instance.config.paths.data));
  const workDir = importFolder(instance.config.paths.data);
  const isFree = lockState(join(workDir, "media.lock")) !== "held";
  if (!isFree || !(await hasLeftovers(workDir))) return;
  const { cleanUpImport: clearImport } = await import("./portability.ts");
  await clearImport(instance).catch((error: unknown) => {
    instance.log.error({ err: error }, "an import's leftovers can't be deleted");
  });
}

/**
 * Starts the web process: the public site, the API, the admin pages, and the gate to the runner.
 */
export async function startWeb(env: Environment): Promise<Service> {
  const config = configFor(trialMode(process.argv), loadConfig(env));
  const destination = openBackgroundLog(logFileOf(config));
  const instance = await openInstance(config, "web", destination);
  const { log, database } = instance;
  const secure = config.baseUrl.startsWith("https:");
  const isEnabled = log.isLevelEnabled("info");
  const logRequest = makeAccessLog({ name: "web", isEnabled, destination });
  const { accessLog, ...metrics } = openWebMetrics(instance, logRequest);
  const isOnTrial = trialMode(process.argv) !== null;
  const nodes = await followNodes(instance, { repository: null, events: null });
  const records = await openRecords(instance, { recovers: !isOnTrial, observer: metrics.media });
  if (!isOnTrial) await recoverImport(instance);
  const { trustProxy } = config;
  const unread = trackUnreadResponses();
  const app = createHttpServer({
    log,
    accessLog: logRequest,
    ...(metrics.onAnswered && { onAnswered: metrics.onAnswered }),
    unread,
    name: "web",
    trustProxy,
    secure,
    rewriteUrl: (url) => rewriteRenamedPath(rewriteMalformedLink(url)),
  });
  const site = openSiteFiles(config.paths);
  const clientOf = makeClientOf(config);
  respondFromMemory(app, { baseUrl: config.baseUrl, site, clientOf, unread, accessLog });
  limitConnections(app.server, { clientOf, trustProxy });
  await registerApiDescription(app, instance, { secure });
  const routes = registerRoutes(app, instance, { records, env, site, isOnTrial });
  const metricsServer = await metrics.serve();
  const socket = socketArgument(process.argv);
  let stopListening = async () => {};
  if (socket === null) await app.listen({ host: config.host, port: config.port });
  else {
    trustFrontPeer(app.server);
    reportActivity(app.server);
    await app.ready();
    stopListening = await listenOnSocket(app.server, socket);
  }
  records.start();
  return {
    async close() {
      await Promise.all([stopListening(), app.close(), metricsServer.close()]);
      await nodes.close();
      await routes.close();
      await records.close();
      await instance.workers.close();
      await database.close();
      await destination.close();
    },
  };
}

await runProcess("web", () => startWeb(process.env));
// Once the supervisor knows that it is ready.
setImmediate(collectGarbage);
