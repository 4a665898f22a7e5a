import { join } from "node:path";
import { ok } from "../kit/envelope.ts";
import { allowedHosts } from "../platform/http/origin.ts";
import { type AppServer, createHttpServer } from "../platform/http/server.ts";
import { collectGarbage } from "../platform/collect-garbage.ts";
import { type Environment, loadConfig } from "../platform/config.ts";
import { type DiskQuota, makeDiskQuota } from "../platform/disk-quota.ts";
import { platformRoot, templateDir } from "../platform/paths.ts";
import { readFrameScript } from "../features/admin-auth/console-assets.ts";
import { makeAdminGuard } from "../features/admin-auth/guard.ts";
import { isSessionAlive } from "../features/admin-auth/sessions.ts";
import { makePreviewTickets } from "../features/admin-auth/ticket.ts";
import { makeSiteBuilder, type SiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import { makeRecordPreviews, type RecordPreviews } from "../features/release/record-preview.ts";
import { cleanUp } from "../features/runs/cleanup.ts";
import { guardRunner } from "../features/runs/runner.ts";
import { openRegistry, type Registry } from "../features/runs/runners/registry.ts";
import { makeRuns } from "../features/runs/runs.ts";
import { makeTaskHooks } from "../features/tasks/worker/run-hooks.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import { openAgents } from "./agents.ts";
import { openDesign } from "./design.ts";
import { makeContentSync } from "./content-sync.ts";
import { type Instance, openInstance } from "./instance.ts";
import { logDestination } from "./log-destinations.ts";
import { openMembersBuilds } from "./members.ts";
import { makeProcessMetrics } from "../features/metrics/process-metrics.ts";
import { serveOwnMetrics } from "./metrics.ts";
import { openPreviewNotifications } from "./preview-notifications.ts";
import { openDeliveries } from "./publish-targets.ts";
import { openPublishing, type Publishing } from "./publishing.ts";
import { openQa } from "./qa.ts";
import { repeat } from "./repeat.ts";
import { makeRunDependencies } from "./run-dependencies.ts";
import { openUpdateCheck } from "./update-check.ts";
import { runProcess, type Service } from "./run-process.ts";
import { registerRunnerRoutes } from "./runner-api.ts";
import { watchForFirstSite } from "./first-site.ts";
import { openStorageCleanup } from "./storage-cleanup.ts";
import { openTasks } from "./tasks.ts";
import { shareBuilds } from "./share-builds.ts";
import { followNodes } from "./follow-nodes.ts";
import { observeBuilds } from "./work-metrics.ts";
import { openSiteSlots } from "./site-slots.ts";
import { configFor, trialMode } from "./trial-mode.ts";

/** How often unneeded files are removed, besides after each run, in ms. */
const sweepEveryMs = 60_000;

function openBuilder({ config, log, clock }: Instance, quota: DiskQuota): Promise<SiteBuilder> {
  const { paths, limits, sandbox } = config;
  const { build: slots } = openSiteSlots(config);
  return makeSiteBuilder({ paths, limits: limits.build, sandbox, log, clock, slots, quota });
}

/** Private previews of single records. */
function makePreviews(
  { config, clock, database, shared }: Instance,
  { repository }: Publishing,
  builder: SiteBuilder,
  registry: Registry,
): RecordPreviews {
  const { paths, baseUrl, owner } = config;
  const { db } = database;
  return makeRecordPreviews({
    db,
    clock,
    repository,
    builder,
    artifactsDir: paths.artifacts,
    runnerId: registry.id,
    isGone: (id) => registry.isGone(id),
    records: (asPublished) => exportSite(db, { baseUrl, owner }, { asPublished }),
    mediaDir: join(paths.content, mediaFolder),
    shared: shared?.previews,
  });
}

function repeatCleanup({ log }: Instance, cleanup: () => Promise<unknown>) {
  return repeat(cleanup, {
    everyMs: sweepEveryMs,
    onError: (error) => log.warn({ err: error }, "couldn't remove runs' leftovers; will try again"),
  });
}

/** What follows a release: the builds for members, and copies of the site elsewhere. */
function openFollowers(
  instance: Instance,
  { repository, builder }: Publishing & { builder: SiteBuilder },
) {
  const members = openMembersBuilds(instance, { repository, builder });
  const deliveries = openDeliveries(instance);
  const parts = [members, deliveries];
  return {
    deliveries,
    start: () => parts.forEach((part) => part.start()),
    wake: () => parts.forEach((part) => part.wake()),
    close: () => Promise.all(parts.map((part) => part.close())),
  };
}

/** Everything that works in the runner, after recovery from a dead one. */
async function openRunner(instance: Instance, env: Environment) {
  const { config, database, clock, log } = instance;
  const { db } = database;
  const { runnerPort: port, paths } = config;
  const registry = await openRegistry({ db, log, dir: paths.runners, port });
  // Immediately, because what follows may take longer than others wait for a heartbeat.
  registry.start();
  const taskHooks = makeTaskHooks({ db, clock });
  const trial = trialMode(process.argv);
  const publishing = await openPublishing(instance, taskHooks, { recovers: trial !== "look" });
  const quota = makeDiskQuota({ dir: config.dir, maxMiB: config.limits.diskMiB, clock });
  const observed = observeBuilds(shareBuilds(await openBuilder(instance, quota), instance.shared));
  const { builder } = observed;
  const nodes = await followNodes(instance, publishing);
  const previews = makePreviews(instance, publishing, builder, registry);
  const building = { ...publishing, builder, previews };
  const agents = openAgents(instance);
  const notifications = openPreviewNotifications(instance, agents, registry);
  const deps = { agents, notifications, registry, tasks: taskHooks };
  const runDependencies = makeRunDependencies(instance, building, deps);
  const runs = makeRuns(runDependencies);
  const tasks = openTasks(instance, { ...building, agents, runs, registry, quota });
  const qa = openQa(instance, { agents, registry, wake: () => tasks.worker.wake() });
  const tidy = () => cleanUp(runDependencies);
  const sweeps = repeatCleanup(instance, () => Promise.all([tidy(), builder.tidy()]));
  const storage = openStorageCleanup(instance);
  const sites = watchForFirstSite(instance);
  const followers = openFollowers(instance, building);
  const after = () => {
    followers.wake();
    return tidy();
  };
  const contentSync = makeContentSync(instance, { ...building, after });
  const recovering = [previews, runs].map((part) => () => part.recover());
  const repeated = [sweeps, storage, sites, openUpdateCheck(instance, env)];
  const starting = [tasks, contentSync, followers, notifications, qa, ...repeated].map(
    (part) => async () => part.start(),
  );
  if (trial === null) for (const step of [...recovering, ...starting]) await step();
  else if (trial === "build") await contentSync.start();
  return {
    ...building,
    buildMetrics: observed.family,
    agents,
    notifications,
    runs,
    tasks,
    contentSync,
    qa,
    deliveries: followers.deliveries,
    async close() {
      await Promise.all([...repeated, nodes].map((part) => part.close()));
      const inOrder = [qa, notifications, contentSync, followers, tasks, runs, previews, builder];
      for (const part of inOrder) await part.close();
      await publishing.gate.close();
      publishing.publisher.close();
      publishing.repository.close();
      await registry.close();
    },
  };
}

/** Prepares the builder while the admin works, before they ask for something to be built. */
function prepareForAdmin(app: AppServer, builder: SiteBuilder): void {
  app.addHook("preHandler", async (request) => {
    if (request.admin?.kind === "session") builder.prepare();
  });
  // Web calls it for the admin's requests that it answers itself.
  app.post("/internal/builder/prepare", { schema: { hide: true } }, async (_request, reply) => {
    builder.prepare();
    return reply.code(204).send();
  });
}

/** Starts the runner: runs, previews, publishing, and rebuilds, only on the loopback address. */
export async function startRunner(env: Environment): Promise<Service> {
  const given = configFor(trialMode(process.argv), loadConfig(env));
  const instance = await openInstance(given, "runner", logDestination(given));
  const { config, log, clock, database, keys, version, workers } = instance;
  const { db } = database;
  const runner = await openRunner(instance, env);
  const { runs, events, previews, builder, repository, contentSync, agents, tasks, qa } = runner;
  const app = createHttpServer({ log, name: "runner", secure: false });
  const tickets = makePreviewTickets({ key: keys.preview, db, clock });
  app.addHook("onRequest", allowedHosts({ names: [], anyAddress: false }));
  guardRunner(app, { key: keys.runner, guard: makeAdminGuard({ db, clock, config }), tickets });
  runner.notifications.watchPresence(app);
  prepareForAdmin(app, builder);
  registerRunnerRoutes(app, {
    designer: openDesign(instance, repository, agents),
    db,
    clock,
    ...tasks,
    deliveries: runner.deliveries,
    qaRuns: qa.runs,
    get ownerName() {
      return config.owner.name;
    },
    runs,
    events,
    rebuilder: contentSync.rebuilder,
    recordPreviews: previews,
    version,
    tickets,
    isSessionAlive: (idHash) => isSessionAlive(db, clock, idHash),
    pages: { limits: config.limits.workspace, content: config.paths.content, templateDir },
    paths: config.paths,
    fetchArtifact: instance.shared?.artifacts.get,
    frameScript: readFrameScript(join(platformRoot, "packages/console/dist")),
    baseUrl: config.baseUrl,
    workers,
  });
  app.get("/internal/status", { schema: { hide: true } }, async () =>
    ok({
      tier: builder.tier,
      reason: builder.reason,
      memory: builder.memory,
      qaNextAt: qa.schedule.nextAt(),
    }),
  );
  const metrics = await serveOwnMetrics({ name: "runner", config, log }, () => {
    const readProcess = makeProcessMetrics();
    return () => [runner.buildMetrics(), ...readProcess()];
  });
  await app.listen({ host: "127.0.0.1", port: config.runnerPort });
  return {
    async close() {
      await metrics.close();
      // Requeuing a task waits for no running request.
      await Promise.all([app.close(), tasks.close(), qa.close()]);
      await runner.close();
      await workers.close();
      await database.close();
    },
  };
}

await runProcess("runner", () => startRunner(process.env));
// Once the supervisor knows that it is ready.
setImmediate(collectGarbage);
