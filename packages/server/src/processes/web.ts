import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import { ownLimits, registerAdminAuth } from "../features/admin-auth/api.ts";
import { loadConsoleAssets } from "../features/admin-auth/console-assets.ts";
import { registerGate } from "../features/admin-auth/gate.ts";
import { type AdminGuard, makeAdminGuard } from "../features/admin-auth/guard.ts";
import { registerAdminPages } from "../features/admin-auth/pages.ts";
import { brokenLink } from "../features/admin-auth/link-address.ts";
import { makePreviewTickets } from "../features/admin-auth/ticket.ts";
import { hasLeftovers, importFolder } from "../features/portability/bring/leftovers.ts";
import { readSeedMemory } from "../features/changelog/store.ts";
import { registerHealthApi } from "../features/health/api.ts";
import {
  databaseCheck,
  diskCheck,
  mailerCheck,
  memoryCheck,
  migrationCheck,
  modelCheck,
  queueCheck,
  runnerCheck,
  sandboxCheck,
  siteCheck,
} from "../features/health/checks.ts";
import { type HealthDeps, makeHealth } from "../features/health/health.ts";
import { membersBuildError } from "../features/members/build-store.ts";
import { type Decorate, registerSite } from "../features/release/api.ts";
import { recordBytes } from "../features/projects/schema.ts";
import { rebuildFailure } from "../features/release/pending.ts";
import type { FindOwn } from "../features/release/site/own-files.ts";
import { addConsoleLoader } from "../features/runs/console-loader.ts";
import type { Db } from "../platform/db/connect.ts";
import { type ClientOf, makeClientOf } from "../platform/http/client-address.ts";
import { capConnections } from "../platform/http/connection-cap.ts";
import { trustFrontPeer } from "../platform/http/front-peer.ts";
import { noQuery } from "../platform/http/nothing-more.ts";
import { describeApi } from "../platform/http/openapi.ts";
import { allowedHosts } from "../platform/http/origin.ts";
import { registerPublicThrottle } from "../platform/http/public-throttle.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";
import { lockState } from "../platform/lock.ts";
import { platformRoot } from "../platform/paths.ts";
import { openPeople } from "./accounts.ts";
import { type Agents, openAgents } from "./agents.ts";
import { registerMessaging } from "./contact.ts";
import { type Instance, openInstance } from "./instance.ts";
import { registerFindings } from "./qa.ts";
import { mailState, openMail } from "./mail.ts";
import { panelOverview } from "./panel.ts";
import { openRecords, type Records } from "./records.ts";
import { askRunner, nextPulse, runnerUrl, wakeRunner } from "./runner-call.ts";
import { runProcess, type Service } from "./run-process.ts";
import { givenSocket, listenOnSocket } from "./shared-port.ts";
import { registerSettings } from "./settings.ts";
import { queueHealth, registerTaskQueue } from "./tasks.ts";

/** Why the public site does not show what the owner keeps; without details, for anybody may ask. */
async function whyBehind(db: Db): Promise<string | null> {
  const failure = await rebuildFailure(db);
  if (failure !== null) return `the last rebuild failed: ${failure}`;
  const seed = await readSeedMemory(db);
  if (seed?.error) return "the changelog's seed file can't be taken";
  return (await membersBuildError(db)) === null ? null : "a build for members failed";
}

function healthDeps(instance: Instance, agents: Agents): HealthDeps {
  const { config, clock, database, version } = instance;
  // One question serves the two checks of a look.
  let asked: ReturnType<typeof askRunner> | null = null;
  const askOnce = () => {
    asked ??= askRunner(instance).finally(() => (asked = null));
    return asked;
  };
  const model = async () => {
    const choice = await agents.choice.current();
    return choice && { name: `${choice.config.provider}/${choice.config.id}` };
  };
  return {
    version,
    clock,
    checks: {
      database: databaseCheck(database),
      migrations: migrationCheck(database),
      runner: runnerCheck(askOnce),
      site: siteCheck(config.paths, () => whyBehind(database.db)),
      disk: diskCheck(config.paths.data),
      sandbox: sandboxCheck(async () => (await askOnce()).tier),
      memory: memoryCheck(async () => (await askOnce()).memory),
      mailer: mailerCheck(() => mailState(instance, agents.settings)),
      model: modelCheck(model),
      queue: queueCheck(queueHealth(instance, agents)),
    },
  };
}

/** Puts the console's loader into the pages of the signed-in admin. */
function decorator(guard: AdminGuard, assets: ReturnType<typeof loadConsoleAssets>): Decorate {
  return async (request, page) => {
    const session = await guard.findSession(request).catch((error: unknown) => {
      // A visitor's page does not depend on the database; the admin's console does.
      request.log.error({ err: error }, "the session can't be checked");
      return null;
    });
    return session && addConsoleLoader(await page(), assets);
  };
}

/** What of the doors is asked for by others, or goes on by itself. */
interface Doors {
  findOwn: FindOwn;
  close(): Promise<void>;
}

/** The doors of people other than the owner, the mail that they are sent, and how both are set. */
function addOthersDoors(
  app: AppServer,
  instance: Instance,
  { guard, clientOf, agents }: { guard: AdminGuard; clientOf: ClientOf; agents: Agents },
): Doors {
  const { settings } = agents;
  const mail = openMail(instance, settings);
  const { outbox, delivery } = mail;
  registerSettings(app, instance, { guard, agents, mail });
  registerMessaging(app, instance, { guard, clientOf, settings, outbox });
  const people = openPeople(instance, { guard, clientOf, settings, outbox });
  people.register(app);
  people.start();
  delivery.start();
  return {
    findOwn: people.findOwn,
    async close() {
      await people.close();
      await delivery.close();
    },
  };
}

function addDoors(app: AppServer, instance: Instance, records: Records): Doors {
  const { config, clock, database, keys } = instance;
  const { db } = database;
  const guard = makeAdminGuard({ db, clock, config });
  const clientOf = makeClientOf(config);
  const tickets = makePreviewTickets({ key: keys.preview, db, clock });
  const agents = openAgents(instance);
  const look = makeHealth(healthDeps(instance, agents));
  const assets = loadConsoleAssets(join(platformRoot, "packages/console/dist"));
  const host = new URL(config.baseUrl).host;
  app.addHook("onRequest", allowedHosts({ names: [host], anyAddress: true }));
  registerPublicThrottle(app, {
    clock,
    clientOf,
    perMinute: config.limits.publicPerMinute,
    isAdmitted: (request: FastifyRequest) => request.admin !== undefined,
    ownLimits,
  });
  registerHealthApi(app, look);
  registerAdminAuth(app, { db, clock, config, guard, clientOf });
  registerAdminPages(app, {
    assets,
    site: {
      get ownerName() {
        return config.owner.name;
      },
      get timeZone() {
        return config.owner.timeZone;
      },
    },
    findSession: (request) => guard.findSession(request),
    overview: () => panelOverview(db, look),
    uploads: config.limits.media,
  });
  records.register(app, guard);
  const others = addOthersDoors(app, instance, { guard, clientOf, agents });
  const wake = () => wakeRunner(instance);
  registerTaskQueue(app, instance, { guard, agents, wake });
  registerFindings(app, instance, { guard, wake, nextAt: nextPulse(instance) });
  registerGate(app, {
    guard,
    runnerUrl: runnerUrl(instance),
    runnerKey: keys.runner,
    baseUrl: config.baseUrl,
    verifyPreviewTicket: (url) => tickets.verifyUrl(url),
    largeBodies: { "/devconsole/preview": recordBytes },
  });
  registerSite(app, {
    paths: config.paths,
    log: instance.log,
    decorate: decorator(guard, assets),
    workers: instance.workers,
    findOwn: others.findOwn,
  });
  return others;
}

/** The description of the whole API: this process's routes and, through the gate, the runner's. */
async function addDescription(
  app: AppServer,
  instance: Instance,
  { secure }: { secure: boolean },
): Promise<void> {
  const info = {
    title: "Vitrine",
    version: instance.version,
    description: "Every JSON answer is an envelope: ok, data, error.",
  };
  const own = await describeApi(app, info, { secure });
  // Made when it is asked for: until then the runner's part isn't even loaded.
  const describe = async () => {
    const { describeRunner } = await import("./runner-api.ts");
    const document = own();
    const runner = await describeRunner(info);
    return JSON.stringify({ ...document, paths: { ...document.paths, ...runner.paths } });
  };
  let text: Promise<string> | null = null;
  const schema = { hide: true, querystring: noQuery };
  app.get("/api/openapi.json", { schema }, async (_request, reply) => {
    text ??= describe();
    return reply.type("application/json; charset=utf-8").send(await text);
  });
}

/** What a killed import has left goes; looked for without all that an import needs. */
async function settleImport(instance: Instance): Promise<void> {
  const workDir = importFolder(instance.config.paths.data);
  const isFree = lockState(join(workDir, "media.lock")) !== "held";
  if (!isFree || !(await hasLeftovers(workDir))) return;
  const { clearImport } = await import("./portability.ts");
  await clearImport(instance).catch((error: unknown) => {
    instance.log.error({ err: error }, "what an import left can't be cleared away");
  });
}

/** Starts the web process: the public site, the API, the admin's pages and the gate to the runner. */
export async function startWeb(env: Record<string, string | undefined>): Promise<Service> {
  const instance = await openInstance(env, "web");
  const { config, log, database } = instance;
  const secure = config.baseUrl.startsWith("https:");
  const records = await openRecords(instance);
  await settleImport(instance);
  const { trustProxy } = config;
  const app = createHttpServer({ log, name: "web", trustProxy, secure, rewriteUrl: brokenLink });
  capConnections(app.server, { clientOf: makeClientOf(config), trustProxy });
  await addDescription(app, instance, { secure });
  const doors = addDoors(app, instance, records);
  const socket = givenSocket(process.argv);
  let stopListening = async () => {};
  if (socket === null) await app.listen({ host: config.host, port: config.port });
  else {
    trustFrontPeer(app.server);
    await app.ready();
    stopListening = await listenOnSocket(app.server, socket);
  }
  return {
    async close() {
      await Promise.all([stopListening(), app.close()]);
      await doors.close();
      await records.close();
      await instance.workers.close();
      await database.close();
    },
  };
}

await runProcess("web", () => startWeb(process.env));
