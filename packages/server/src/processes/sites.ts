import { totalmem } from "node:os";
import { followChanges } from "../features/sites/changes.ts";
import {
  openSiteRegistry,
  registryAddress,
  type SiteRegistry,
} from "../features/sites/registry.ts";
import type { SiteChange } from "../features/sites/store.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { isoTime } from "../kit/time.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { createLog, type Log } from "../platform/log.ts";
import { type AwakeSites, leaseMs, makeAwakeSites, soonMs } from "./awake-sites.ts";
import { launchSite, siteConfig } from "./launch-site.ts";
import { logDestination } from "./log-destinations.ts";
import { answerSupervisor, supervisedMetrics } from "./metrics.ts";
import { makeProcessMetrics } from "../features/metrics/process-metrics.ts";
import { type FollowedSites, nodeName, openFollowedSites } from "./follow-sites.ts";
import { repeat } from "./repeat.ts";
import { runProcess, type Service } from "./run-process.ts";
import { listenOnSocket, socketArgument } from "./shared-port.ts";
import { makeSitesServer, type SitesServer } from "./sites-server.ts";
import { readSiteWork } from "./site-work.ts";

/** How often to look for sites that are due, and for those that can sleep, in ms. */
const dueEveryMs = 1000;
const sweepEveryMs = 2000;

/** A quarter of the machine's memory, at what web and runner of a site need together. */
function defaultAwake(): number {
  const siteBytes = 250 * 2 ** 20;
  return Math.max(1, Math.min(100, Math.floor(totalmem() / 4 / siteBytes)));
}

async function assertActive(registry: SiteRegistry, id: string): Promise<void> {
  const site = await registry.findRouteById(id);
  if (site?.status === "active") return;
  throw new AppError("unavailable", "This site isn't available at the moment.");
}

interface Parts {
  config: Config;
  env: Environment;
  log: Log;
  registry: SiteRegistry;
  /** When the sites that have processes had last changed before those were started. */
  startedAs: Map<string, string>;
  /** Null unless there may be other nodes. */
  followed: FollowedSites | null;
}

function openAwakeSites(
  { config, env, log, registry, startedAs, followed }: Parts,
  { onSleep, onOutput }: { onSleep(id: string): void; onOutput(line: string): void },
): AwakeSites {
  const launching = { installation: config, env, clock: systemClock, log, onOutput };
  return makeAwakeSites({
    clock: systemClock,
    log,
    maxAwake: config.sites.awake ?? defaultAwake(),
    idleMs: config.sites.idleMinutes * 60_000,
    async launch(id, onActivity) {
      startedAs.set(id, (await registry.findRouteById(id))?.changedAt ?? "");
      if (followed !== null) startedAs.set(id, await followed.ensure(id));
      return launchSite(launching, id, onActivity);
    },
    readWork: async (id) =>
      readSiteWork(siteConfig(env, config, id), { now: systemClock.now(), soonMs }),
    async lease(id) {
      await registry.setWakeTime(id, isoTime(systemClock.now() + leaseMs));
      await followed?.noteAwake(id, leaseMs);
    },
    async setWakeTime(id, at) {
      await registry.setWakeTime(id, at);
      await followed?.noteAsleep(id);
    },
    assertActive: (id) => assertActive(registry, id),
    onSleep,
  });
}

/** Wakes sites whose time has come, as far as there is room. */
function repeatDue({ registry, log }: Parts, awake: AwakeSites) {
  const wakeDue = async () => {
    if (!awake.hasRoom()) return;
    // One at a time: whether there is room for another one is known afterwards.
    const [id] = await registry.takeDue(1, leaseMs);
    if (id === undefined) return;
    // Nobody waits for one that starts slowly.
    awake.wake(id, { isTimed: true }).catch((error: unknown) => {
      log.warn({ err: error, site: id }, "a site that is due can't be woken yet");
    });
  };
  return repeat(wakeDue, {
    everyMs: dueEveryMs,
    onError: (error) => log.error({ err: error }, "sites that are due can't be looked up"),
  });
}

function repeatSweep({ log }: Parts, awake: AwakeSites) {
  return repeat(() => awake.sweep(), {
    everyMs: sweepEveryMs,
    onError: (error) => log.error({ err: error }, "idle sites can't be looked up"),
  });
}

/** Passes changes on to fronts, and stops sites that may not run or have other settings. */
function makeChangeHandler(
  { registry, log, startedAs, followed }: Parts,
  awake: AwakeSites,
  server: SitesServer,
) {
  const stopChanged = async (changes: SiteChange[] | null) => {
    const changed = changes && new Set(changes.map(({ siteId }) => siteId));
    for (const id of awake.list().filter((each) => changed?.has(each) ?? true)) {
      const site = await registry.findRouteById(id);
      const isSame = site?.status === "active" && site.changedAt === startedAs.get(id);
      if (!isSame) await awake.stop(id);
    }
    await followed?.refresh(changed && [...changed]);
  };
  return (changes: SiteChange[] | null) => {
    followed?.forget(changes && changes.map(({ siteId }) => siteId));
    const sites = changes?.map(({ siteId, domains }) => ({ id: siteId, domains })) ?? null;
    server.send({ kind: "changed", sites });
    stopChanged(changes).catch((error: unknown) => {
      log.error({ err: error }, "a changed site can't be looked up");
    });
  };
}

/** Gives the supervisor the metrics of this process. */
function giveMetrics({ log }: Parts, awake: AwakeSites): void {
  if (!process.argv.includes(supervisedMetrics)) return;
  const readOwn = makeProcessMetrics();
  const read = () => [
    {
      name: "vitrine_sites_awake",
      help: "How many further sites have processes.",
      type: "gauge" as const,
      samples: [{ labels: {}, value: awake.list().length }],
    },
    ...readOwn(),
  ];
  answerSupervisor(read, log);
}

/** The sites that have processes, on any node. */
async function listAwakeEverywhere({ registry, followed }: Parts, awake: AwakeSites) {
  const elsewhere = followed === null ? [] : await registry.nodes.listAwake();
  return [...new Set([...awake.list(), ...elsewhere.map(({ siteId }) => siteId)])];
}

/** Starts what routes requests to further sites, wakes them, and lets them sleep. */
async function startSites(env: Environment): Promise<Service> {
  const config = loadConfig(env);
  const destination = logDestination(config);
  const level = config.logLevel;
  const log = createLog({ level, name: "sites", ...(destination && { destination }) });
  const { paths, databaseUrl, baseUrl } = config;
  const ownHost = new URL(baseUrl).hostname;
  const registry = await openSiteRegistry({ paths, databaseUrl, clock: systemClock, ownHost });
  const clock = systemClock;
  const listAwake = (): string[] => awake.list();
  const askAgain = (site: { id: string; domains: string[] }) =>
    server.send({ kind: "changed", sites: [site] });
  const own = { config, env, registry, clock, log };
  const followed = openFollowedSites({ ...own, listAwake, askAgain });
  const parts: Parts = { config, env, log, registry, startedAs: new Map(), followed };
  const awake: AwakeSites = openAwakeSites(parts, {
    onSleep: (id) => server.send({ kind: "asleep", id }),
    onOutput: (line) => void (destination ?? process.stderr).write(line),
  });
  const server = makeSitesServer({
    async findRoute(domain) {
      const site = await registry.findRoute(domain);
      if (site?.status === "active") await followed?.prepare(site.id);
      return site;
    },
    wake: (id) => awake.wake(id),
    listAwake: () => awake.list(),
    listAwakeEverywhere: () => listAwakeEverywhere(parts, awake),
    node: nodeName(config),
    jobs: registry.jobs,
    registry,
    log,
  });
  const changes = await followChanges({
    registry,
    url: registryAddress(config).url,
    onChanges: makeChangeHandler(parts, awake, server),
    log,
  });
  await followed?.start();
  const tasks = [repeatDue(parts, awake), repeatSweep(parts, awake)];
  giveMetrics(parts, awake);
  const stopListening = await listenOnSocket(server.server, socketArgument(process.argv) ?? "");
  for (const task of tasks) task.start();
  return {
    async close() {
      await Promise.all(tasks.map((task) => task.close()));
      await changes.close();
      await awake.close();
      await followed?.close();
      const closed = stopListening();
      server.close();
      await closed;
      await registry.close();
    },
  };
}

await runProcess("sites", () => startSites(process.env));
